/** Finds the first rows of a list whose filter is a part of a text. */
import { type SQL, sql } from "drizzle-orm"
import type { OrderTerm, Readable } from "../../resources/resource.ts"
import { type Part, type Relation, relationOf, tableName } from "./relations.ts"
import { orderBy } from "./seek.ts"

/** Reading more rows in order takes longer than finding all matches of a term that is as rare by their index. */
const mostRead = sql.raw("4000")

/**
 * A relation with at least the first rows of the list.
 *
 * The planner knows about how frequent a term is, but not where its rows are in the list's order. Where it
 * expects to find them soon, it reads the table in order, and reads all of it if they are at the end. This
 * statement looks for them among the first rows of the table. Only where these have too few, it finds all
 * matches by their index. OFFSET keeps the planner from reading the table in order again.
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
  const terms = orderBy(order)
  const inOrder = sql`order by ${sql.join(terms, sql`, `)}`
  const first = { orderBy: terms, limit: mostRead }
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
