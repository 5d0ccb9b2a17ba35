/** Counts a list that may have few rows, and finds their keys by the same scan of its table. */
import { type SQL, sql } from "drizzle-orm"
import { keyColumn, type OrderTerm, type Readable } from "../resources/resource.ts"
import { sortTerms } from "./seek.ts"

/** A page of a longer list is near the beginning of the table in its order. */
const mostKeys = sql.raw("2000")

/**
 * Selects the number of rows as `total` and their keys in order as `keys`, separated by spaces, which no key
 * contains; null for more than a few rows, where the scan ends after these and another one counts.
 * @param rows FROM and WHERE of the list
 */
export function countOfFew(
  { resource, order }: { resource: Readable; order: readonly OrderTerm[] },
  rows: SQL,
): SQL {
  const sorted = sortTerms(order)
  const terms = sorted.map(({ value }, index) => sql`${value} as ${term(index)}`)
  const inOrder = sorted.map(({ direction }, index) => sql`${term(index)} ${sql.raw(direction)}`)
  const found = sql`select ${keyColumn(resource)} as key, ${sql.join(terms, sql`, `)}
    ${rows} limit ${mostKeys} + 1`
  const ifFew = (value: SQL) => sql`case when count(*) <= ${mostKeys} then ${value} end`
  const keys = sql`coalesce(string_agg(key, ' ' order by ${sql.join(inOrder, sql`, `)}), '')`
  return sql`with found as materialized (${found})
    select coalesce(${ifFew(sql`count(*)`)}, (select count(*) ${rows})) as total, ${ifFew(keys)} as keys from found`
}

const term = (index: number): SQL => sql`${sql.identifier(`term_${index}`)}`
