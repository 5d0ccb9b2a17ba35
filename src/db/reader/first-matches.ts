/** Finds the first rows of a list whose filter is a part of a text. */
import { type SQL, sql } from "drizzle-orm"
import type { Readable } from "../../resources/resource.ts"
import { type Part, type Relation, relationOf, tableName } from "./relations.ts"

/** Searching more rows in order takes longer than finding all matches of a term that is as rare by their index. */
const mostSearched = sql.raw("10000")

/** For the values of a field: those of a frequent term are counted among few of its rows. */
export const sample = { enough: sql.raw("100"), most: mostSearched }

export interface MatchOptions {
  /** The condition that a row comes after the position at which the page begins. */
  after?: SQL | undefined
  /** How many matches are enough where the first rows of the table have them. */
  enough: SQL
  /** How many matches are read where they have fewer. */
  most: SQL
}

/**
 * A relation with the first rows of the list.
 *
 * The planner can't know how frequent a term is, nor where its rows are in the list's order. So the
 * statement searches the first rows of the table in the list's order. Only where these have too few matches,
 * it finds all matches by their index. OFFSET keeps the planner from reading the table in order again.
 */
export function firstMatches(
  resource: Readable,
  relation: Relation,
  part: Part,
  orderBy: SQL[],
  { after = sql`true`, enough, most }: MatchOptions,
): SQL {
  const name = tableName(resource)
  const order = sql`order by ${sql.join(orderBy, sql`, `)}`
  const first = { orderBy, limit: mostSearched }
  const rows = relationOf(resource, relation, { where: after, updated: false, first })
  const isEnough = sql`(select count(*) >= ${enough} from early)`
  return sql`(
    with early as materialized (
      select * from (select * from ${rows} where ${after} ${order} limit ${mostSearched}) as ${name}
      where ${part.where} ${order} limit ${enough}
    )
    select * from early where ${isEnough}
    union all
    (select * from (
      select * from ${relationOf(resource, relation, part)} where ${part.where} and not ${isEnough} offset 0
    ) as ${name} ${order} limit ${most})
  ) as ${name}`
}
