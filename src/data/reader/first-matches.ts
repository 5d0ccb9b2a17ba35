/** Finds the first rows of a list with a filter for part of a text, or for an area. */
import { type SQL, sql } from "drizzle-orm"
import type { OrderTerm, Readable } from "../resources/resource.ts"
import { type Part, type Relation, relationOf, tableName } from "./relations.ts"
import { orderBy } from "./seek.ts"

/**
 * A relation with at least the first rows of the list.
 *
 * The planner knows the frequency of a term, but not where its rows are in the list's order, and it has no
 * statistics of areas. For a frequent term it reads the table in order, and reads all of it if the matches are
 * at the end. This statement searches the first rows of the table. If these have too few matches, it finds all
 * by their index. OFFSET keeps the planner from reading the table in order again.
 * @param limit how many rows are enough
 * @param after the condition that a row comes after the position at which the page begins
 */
export function firstMatches(
  { resource, order }: { resource: Readable; order: readonly OrderTerm[] },
  relation: Relation,
  part: Part,
  limit: SQL,
  after: SQL = sql`true`,
): SQL {
  const name = tableName(resource)
  // Where these have too few matches, finding all by the index is faster.
  const mostRead = sql`greatest(4000, 8 * (${limit}))`
  const inOrder = sql`order by ${orderBy(order)}`
  const first = { orderBy: orderBy(order), limit: mostRead }
  const firstRows = relationOf(resource, relation, { where: after, updated: false, first })
  const isEnough = sql`(select count(*) >= ${limit} from early)`
  return sql`(
    with early as materialized (
      select * from (select * from ${firstRows} where ${after} ${inOrder} limit ${mostRead}) as ${name}
      where ${part.where} ${inOrder} limit ${limit}
    )
    select * from early where ${isEnough}
    union all
    (select * from (
      select * from ${relationOf(resource, relation, part)} where ${part.where} and not ${isEnough} offset 0
    ) as ${name} ${inOrder} limit ${limit})
  ) as ${name}`
}
