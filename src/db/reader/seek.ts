/**
 * Keyset pagination. A row's position in a list is its values of the columns that the list is ordered
 * by. The next page begins after that position, and so costs the same however deep it is.
 */
import { type SQL, sql } from "drizzle-orm"
import type { OrderTerm } from "../../resources/resource.ts"

/** The values of an order's columns in one row, in the order of the terms. */
export type Position = readonly unknown[]

/** Nulls come last in both directions, as in the indexes. */
export const orderBy = (order: readonly OrderTerm[]): SQL[] =>
  order.map(({ column, direction }) =>
    direction === "asc" ? sql`${column} asc nulls last` : sql`${column} desc nulls last`,
  )

/** Which of a position's values are null: conditions, and so statements, depend on it. */
export const nullsOf = (position: Position): boolean[] => position.map((value) => value === null)

/** The placeholder of a position's value. */
const positionName = (index: number): string => `position_${index}`

/** Binds a position's values. */
export const bindPosition = (position: Position): Record<string, unknown> =>
  Object.fromEntries(position.map((value, index) => [positionName(index), value]))

/** About how much memory a position takes. */
export const bytesOfPosition = (position: Position): number =>
  position.reduce<number>((sum, value) => sum + 32 + 2 * String(value).length, 32)

/**
 * The condition that a row comes after a position, whose values are bound by `positionName`. For each
 * term but the last it begins with a plain range condition, at which an index scan can start.
 */
export function isAfter(order: readonly OrderTerm[], nulls: readonly boolean[], index = 0): SQL {
  const term = order[index]
  if (!term) return sql`false`
  const { column, direction } = term
  const value = sql.placeholder(positionName(index))
  const beyond = direction === "asc" ? sql`${column} > ${value}` : sql`${column} < ${value}`
  if (index === order.length - 1) return beyond

  const rest = isAfter(order, nulls, index + 1)
  if (nulls[index]) return sql`(${column} is null and ${rest})`
  if (!column.notNull) {
    return sql`(${beyond} or (${column} = ${value} and ${rest}) or ${column} is null)`
  }
  const from = direction === "asc" ? sql`${column} >= ${value}` : sql`${column} <= ${value}`
  return sql`(${from} and (${beyond} or ${rest}))`
}
