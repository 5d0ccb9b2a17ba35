/**
 * Order and position. A row's position in a list is the values of its order's columns; the page
 * after it begins where those end (keyset pagination), so it costs the same however deep it lies.
 */
import { type SQL, sql } from "drizzle-orm"
import type { OrderTerm } from "../../resources/resource.ts"

/** The values of an order's columns in one row, in the order of the terms. */
export type Position = readonly unknown[]

/** Unknown values come last in both directions, and so do the indexes say. */
export const orderBy = (order: readonly OrderTerm[]): SQL[] =>
  order.map(({ column, direction }) =>
    direction === "asc" ? sql`${column} asc nulls last` : sql`${column} desc nulls last`,
  )

/** Which of a position's values are unknown: conditions differ by it, so statements do. */
export const nullsOf = (position: Position): boolean[] => position.map((value) => value === null)

/** The placeholder of a position's value. */
export const positionName = (index: number): string => `position_${index}`

/**
 * The condition that a row comes after a position, whose values are bound by `positionName`. Of each
 * term but the last it states the bare bound first, which an index can start from.
 */
export function after(order: readonly OrderTerm[], nulls: readonly boolean[], index = 0): SQL {
  const term = order[index]
  if (!term) return sql`false`
  const { column, direction } = term
  const value = sql.placeholder(positionName(index))
  const beyond = direction === "asc" ? sql`${column} > ${value}` : sql`${column} < ${value}`
  if (index === order.length - 1) return beyond

  const rest = after(order, nulls, index + 1)
  if (nulls[index]) return sql`(${column} is null and ${rest})`
  if (!column.notNull) {
    return sql`(${beyond} or (${column} = ${value} and ${rest}) or ${column} is null)`
  }
  const from = direction === "asc" ? sql`${column} >= ${value}` : sql`${column} <= ${value}`
  return sql`(${from} and (${beyond} or ${rest}))`
}
