/**
 * Where a statement reads a resource from: its table as it is now, or, made of the table and its
 * history, the records as they stood at a release. A relation has the table's name and columns, so
 * every condition and order fits all of them.
 */
import { and, getTableColumns, getTableName, type SQL, sql } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"
import { keyColumn, type Readable } from "../resources/resource.ts"

/**
 * - `current`: what stands now, whatever release that is
 * - `asOf`: what stood at the release bound as `release`
 * - `removed`: what stood at the release bound as `removed_since` and no more at `release`
 */
export type Relation = "current" | "asOf" | "removed"

/** The names under which releases are bound. */
export const releaseName = "release"
export const removedSinceName = "removed_since"
export const updatedSinceName = "updated_since"

/** The first rows of an order: all that the relation needs to give. */
export interface FirstRows {
  where: SQL | undefined
  orderBy: SQL[]
  limit: SQL
}

/** @param first of `asOf`: without it, the planner would sort all that stood to give one page */
export function relationOf(
  resource: Readable,
  relation: Relation,
  first?: FirstRows,
): PgTable | SQL {
  const name = sql.identifier(getTableName(resource.table))
  switch (relation) {
    case "current":
      return resource.table
    case "asOf":
      return sql`(${stoodAt(resource, releaseName, first)}) as ${name}`
    case "removed": {
      const key = sql.identifier(keyColumn(resource).name)
      const before = stoodAt(resource, removedSinceName)
      const after = stoodAt(resource, releaseName)
      return sql`(select * from (${before}) as earlier where not exists
        (select from (${after}) as later where later.${key} = earlier.${key})) as ${name}`
    }
  }
}

/** The table's part and the history's, each of which takes its rows in the order of its index. */
function stoodAt(resource: Readable, bound: string, first?: FirstRows): SQL {
  const { table, history, since } = resource
  const name = sql.identifier(getTableName(table))
  const columns = sql.join(
    Object.values(getTableColumns(table)).map((column) => sql.identifier(column.name)),
    sql`, `,
  )
  const release = sql.placeholder(bound)
  const stood = sql`${sql.identifier(since.name)} <= ${release}`
  const part = (from: PgTable, condition: SQL) =>
    sql`(select ${columns} from ${from} as ${name} where ${and(condition, first?.where)} ${rest(first)})`
  const current = part(table, stood)
  if (!history) return current
  return sql`${current} union all ${part(history, sql`${stood} and until_release > ${release}`)}`
}

const rest = (first: FirstRows | undefined): SQL =>
  first ? sql`order by ${sql.join(first.orderBy, sql`, `)} limit ${first.limit}` : sql``
