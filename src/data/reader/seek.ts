/**
 * Keyset pagination. A row's position in a list is its values of the terms that the list is ordered
 * by. The next page begins after that position, and so costs the same however deep it is.
 */
import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { unknownLast } from "../db/columns.ts"
import type { Direction, OrderTerm } from "../resources/resource.ts"

/** The values of an order's terms in one row. None is null. */
export type Position = readonly unknown[]

interface SortTerm {
  /** Never null. */
  value: SQL
  direction: Direction
}

/** The sort keys of an order: a column that may be null becomes an expression that sorts unknown values last. */
export const sortTerms = (order: readonly OrderTerm[]): SortTerm[] =>
  order.map(({ column, direction }) =>
    column.notNull
      ? { value: sql`${column}`.mapWith(column), direction }
      : { value: unknownLast(column, direction), direction: "asc" },
  )

/** NULLS LAST is in the indexes too. */
export const orderBy = (order: readonly OrderTerm[]): SQL =>
  sql.join(
    sortTerms(order).map(({ value, direction }) => sql`${value} ${sql.raw(direction)} nulls last`),
    sql`, `,
  )

/** The placeholder of a position's value. */
const positionName = (index: number): string => `position_${index}`

/** Binds a position's values. */
export const bindPosition = (position: Position = []): Record<string, unknown> =>
  Object.fromEntries(position.map((value, index) => [positionName(index), value]))

/** About how much memory a position takes. */
export const bytesOfPosition = (position: Position): number =>
  position.reduce<number>((sum, value) => sum + 32 + 2 * String(value).length, 32)

/** The condition that a row comes after a position, whose values are bound by `positionName`. */
export function isAfter(order: readonly OrderTerm[]): SQL {
  const terms = sortTerms(order)
  const positions = terms.map((_, index) => sql.placeholder(positionName(index)))
  if (terms.some(({ direction }) => direction === "desc"))
    return inMixedDirections(terms, positions)
  const values = terms.map(({ value }) => value)
  return sql`(${sql.join(values, sql`, `)}) > (${sql.join(positions, sql`, `)})`
}

/** For each term but the last it begins with a plain range condition, at which an index scan can start. */
function inMixedDirections(
  [term, ...terms]: readonly SortTerm[],
  [position, ...positions]: readonly Placeholder[],
): SQL {
  if (!term) return sql`false`
  const comparison = sql.raw(term.direction === "asc" ? ">" : "<")
  const beyond = sql`${term.value} ${comparison} ${position}`
  if (terms.length === 0) return beyond
  return sql`(${term.value} ${comparison}= ${position} and (${beyond} or ${inMixedDirections(terms, positions)}))`
}
