/**
 * Where a statement reads a resource from: its table as it is now, or, made of the table and its
 * history, the records as they stood at a release. A relation has the table's name and columns, so
 * every condition and order fits all of them.
 */
import { and, getTableColumns, getTableName, type SQL, sql } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"
import { keyColumn, type Readable } from "../../resources/resource.ts"

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

/** What of a relation a statement needs: it takes no more from the table than that. */
export interface Part {
  where: SQL | undefined
  /** Only what changed after the release bound as `updated_since`. */
  updated: boolean
  /** The first rows of an order. Without it, all. */
  first?: { orderBy: SQL[]; limit: SQL } | undefined
}

const wholeRelation: Part = { where: undefined, updated: false }

/**
 * So many changed rows are sorted and filtered sooner than they are found among all rows in the order
 * of a list, or by a filter.
 */
const fewChanges = 5_000

/** @param part without the first rows of `asOf`, the planner would sort all that stood to give one page */
export function relationOf(
  resource: Readable,
  relation: Relation,
  part: Part = wholeRelation,
): PgTable | SQL {
  const name = sql.identifier(getTableName(resource.table))
  switch (relation) {
    case "current":
      return part.updated
        ? sql`(${rowsOf(resource, resource.table, part)}) as ${name}`
        : resource.table
    case "asOf":
      return sql`(${stoodAt(resource, part)}) as ${name}`
    case "removed":
      return sql`(${removedRows(resource, part)}) as ${name}`
  }
}

/** The table's part and the history's, each of which takes its rows in the order of its index. */
function stoodAt(resource: Readable, part: Part): SQL {
  const { table, history } = resource
  const current = rowsOf(resource, table, part, stoodBy(resource, releaseName))
  if (!history) return current
  const past = rowsOf(
    resource,
    history,
    part,
    stoodBy(resource, releaseName),
    notUntil(releaseName),
  )
  return sql`${current} union all ${past}`
}

/**
 * Rows of the table or its history. The planner can't know how much changed after a release, and a
 * prepared statement is planned once for all releases: so what changed is counted first, up to a
 * bound, and the statement goes one way or the other. LIMIT keeps the planner from looking for what
 * changed by any other index than that of the releases.
 */
function rowsOf(resource: Readable, from: PgTable, part: Part, ...conditions: SQL[]): SQL {
  if (!part.updated) return select(resource, from, part, conditions)
  const since = sql.identifier(resource.since.name)
  const changed = [sql`${since} > ${sql.placeholder(updatedSinceName)}`, ...conditions]
  const bySince = sql`from ${from} where ${sql.join(changed, sql` and `)} order by ${since}`
  const isFew = sql`(select true ${bySince} offset ${sql.raw(String(fewChanges))} limit 1) is null`
  const few = sql`(select * ${bySince} limit ${sql.raw(String(fewChanges))})`
  return sql`${select(resource, few, part, [isFew])} union all ${select(resource, from, part, [...changed, sql`not (${isFew})`])}`
}

/**
 * What stood at `removed_since` and ended by `release` without a successor, which is asked of each such
 * row. OFFSET and the scalar subqueries keep the planner from any other way, which would read all that
 * there is.
 */
function removedRows(resource: Readable, part: Part): SQL {
  const { table, history } = resource
  if (!history) throw new Error(`Nothing is removed from ${resource.name}`)
  const key = sql.identifier(keyColumn(resource).name)
  const ended = sql`(select * from ${history}
    where ${notUntil(removedSinceName)} and until_release <= ${sql.placeholder(releaseName)} offset 0)`
  const name = sql.identifier(getTableName(table))
  const successor = (from: PgTable, ...conditions: SQL[]) =>
    sql`(select true from ${from} as later where later.${key} = ${name}.${key}
      and ${sql.join([stoodBy(resource, releaseName), ...conditions], sql` and `)} limit 1) is null`
  return select(resource, ended, part, [
    stoodBy(resource, removedSinceName),
    successor(table),
    successor(history, notUntil(releaseName)),
  ])
}

function select(
  resource: Readable,
  from: PgTable | SQL,
  { where, first }: Part,
  conditions: SQL[],
) {
  const { table } = resource
  const columns = sql.join(
    Object.values(getTableColumns(table)).map((column) => sql.identifier(column.name)),
    sql`, `,
  )
  const name = sql.identifier(getTableName(table))
  const rows = sql`select ${columns} from ${from} as ${name} where ${and(...conditions, where) ?? sql`true`}`
  return first
    ? sql`(${rows} order by ${sql.join(first.orderBy, sql`, `)} limit ${first.limit})`
    : sql`(${rows})`
}

const stoodBy = ({ since }: Readable, release: string): SQL =>
  sql`${sql.identifier(since.name)} <= ${sql.placeholder(release)}`

const notUntil = (release: string): SQL => sql`until_release > ${sql.placeholder(release)}`
