/**
 * The relations from which a resource is read: its current table, or the union of the table and its
 * history that gives the records at a release. Every relation has the table's name and columns, so
 * that conditions and orders apply to all of them.
 */
import { and, getTableColumns, getTableName, type SQL, sql } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"
import { changesBetween } from "../resources/explained.ts"
import { type Filter, keyColumn, type Readable } from "../resources/resource.ts"

/**
 * - `current`: the records of the newest release, whichever that is
 * - `asOf`: the records at the release bound as `release`
 * - `removed`: the records of the list at the release bound as `since` that are not in it at `release`
 */
export type Relation = "current" | "asOf" | "removed"

/** The names under which releases are bound. */
export const releaseName = "release"
export const sinceName = "since"

/** The part of a relation that a statement needs; only that is read from the table. */
export interface Part {
  where: SQL | undefined
  /** Which records are in the list, for `removed`. */
  inList?: SQL | undefined
  /** Only records that changed after the release bound as `since`. */
  updated: boolean
  /** Which records were in the list at `since`: with it, the relation has the column `changes`. */
  wasInList?: SQL
  /** For `removed`: the values of a record, and the condition that it is in the list of one of them. */
  counted?: { each: SQL; where: Filter["where"] } | undefined
  /** The first rows in an order; all rows without it. */
  first?: { orderBy: SQL; limit: SQL } | undefined
}

const wholeRelation: Part = { where: undefined, updated: false }

/**
 * Up to this many changed rows, it is faster to find them by their release and then filter and sort
 * them than to scan all rows in the order of the list or by a filter.
 */
const fewChanges = 5_000

/** The column of a removed record's value, by which it is counted. */
export const removedValue = sql`removed_value`

/** @param part without the first rows of `asOf`, the planner would sort all records for one page */
export function relationOf(
  resource: Readable,
  relation: Relation,
  part: Part = wholeRelation,
): PgTable | SQL {
  const name = tableName(resource)
  if (resource.pastVersions) {
    const conditions = relation === "current" ? [] : [existsBy(resource, releaseName)]
    return sql`(${allVersions(resource, resource.pastVersions, part, conditions)}) as ${name}`
  }
  switch (relation) {
    case "current":
      return part.updated
        ? sql`(${rowsOf(resource, resource.table, part)}) as ${name}`
        : resource.table
    case "asOf":
      return sql`(${recordsAt(resource, part)}) as ${name}`
    case "removed":
      return sql`(${removedRows(resource, part)}) as ${name}`
  }
}

/** The union of the table and its history, each of which is read in the order of its index. */
function recordsAt(resource: Readable, part: Part): SQL {
  const { table, history } = resource
  const exists = existsBy(resource, releaseName)
  const current = rowsOf(resource, table, part, exists)
  if (!history) return current
  const past = rowsOf(resource, history, part, exists, endsAfter(releaseName))
  return sql`${current} union all ${past}`
}

/**
 * Adds what changed to each row. A lookup by key finds the version at `since`, under the table's name, so that
 * the conditions of the list apply to it. Rows stay in the order of their index: one page needs few lookups.
 */
function withChanges(resource: Readable, rows: SQL, wasInList: SQL): SQL {
  const { history } = resource
  if (!history) throw new Error(`Nothing changes in ${resource.name}`)
  const name = tableName(resource)
  const key = sql.identifier(keyColumn(resource).name)
  const changes = changesBetween(resource, sql`was`, sql`${name}`)
  return sql`(select *, ${key} as changed_key from ${rows}) as ${name}
    left join lateral (select *, (${wasInList}) is true as was_listed from ${history} as ${name}
      where ${key} = changed_key and ${existsBy(resource, sinceName)} and ${endsAfter(sinceName)} limit 1) as was on true
    cross join lateral (select ${changes} as changes) as compared`
}

/** The current records and the past versions, as one relation; `until_release` of the current ones is null. */
function allVersions(resource: Readable, past: PgTable, part: Part, conditions: SQL[]): SQL {
  const current = sql`(select *, null::integer as until_release from ${resource.table})`
  return sql`${select(resource, current, part, conditions)} union all ${select(resource, past, part, conditions)}`
}

/**
 * Rows of the table or its history. The planner can't know how many rows changed after a release, and
 * a prepared statement is planned once for all releases. So the changed rows are counted first, up to
 * a bound, and the statement takes one of two branches. LIMIT keeps the planner from using any other
 * index than that of the releases to find the changed rows. IS TRUE keeps it from the assumption that
 * between two unknown releases only a two-hundredth of all rows changed.
 */
function rowsOf(resource: Readable, from: PgTable, part: Part, exists?: SQL, ends?: SQL): SQL {
  if (!part.updated) return select(resource, from, part, [exists, ends])
  const since = sql.identifier(resource.since.name)
  const isLater = sql`${since} > ${sql.placeholder(sinceName)}`
  const bySince = sql`from ${from} where ${and(isLater, exists, ends)} order by ${since}`
  const isFew = sql`(select true ${bySince} offset ${sql.raw(String(fewChanges))} limit 1) is null`
  const few = sql`(select * ${bySince} limit ${sql.raw(String(fewChanges))})`
  const many = [isLater, exists && sql`(${exists}) is true`, ends, sql`not (${isFew})`]
  return sql`${select(resource, few, part, [isFew])} union all ${select(resource, from, part, many)}`
}

/**
 * The records at `since` that ended by `release` and are not in the list then, removed or changed.
 * A lookup by key checks for each of these rows whether it is in the list. OFFSET and the scalar subqueries
 * keep the planner from other plans, which would read the whole table.
 */
function removedRows(resource: Readable, part: Part): SQL {
  const { table, history } = resource
  if (!history) throw new Error(`Nothing is removed from ${resource.name}`)
  const key = sql.identifier(keyColumn(resource).name)
  // Under the table's name, so that the conditions of the list apply.
  const name = tableName(resource)
  const { counted } = part
  const value = counted ? sql`, unnest(${counted.each}) as ${removedValue}` : sql``
  const earlier = sql`(select *, ${key} as earlier_key${value} from ${history} as ${name}
    where ${endsAfter(sinceName)} and until_release <= ${sql.placeholder(releaseName)} offset 0)`
  const isNotIn = (from: PgTable, ...conditions: SQL[]) => {
    const isThere = and(sql`${name}.${key} = earlier_key`, existsBy(resource, releaseName))
    const isListed = and(...conditions, part.inList, counted?.where(removedValue))
    return sql`(select true from ${from} as ${name} where ${and(isThere, isListed)} limit 1) is null`
  }
  return select(resource, earlier, part, [
    existsBy(resource, sinceName),
    isNotIn(table),
    isNotIn(history, endsAfter(releaseName)),
  ])
}

function select(
  resource: Readable,
  from: PgTable | SQL,
  { where, first, counted, wasInList }: Part,
  conditions: (SQL | undefined)[],
) {
  const value = counted ? sql`, ${removedValue}` : wasInList ? sql`, changes` : sql``
  const named = sql`${from} as ${tableName(resource)}`
  const found = wasInList
    ? sql`${withChanges(resource, sql`${named} where ${and(...conditions)}`, wasInList)} where ${where}`
    : sql`${named} where ${and(...conditions, where) ?? sql`true`}`
  const rows = sql`select ${columnsOf(resource)}${value} from ${found}`
  return first ? sql`(${rows} order by ${first.orderBy} limit ${first.limit})` : sql`(${rows})`
}

function columnsOf(resource: Readable): SQL {
  const { table, pastVersions } = resource
  const columns = Object.values(getTableColumns(pastVersions ?? table))
  const name = tableName(resource)
  return sql.join(
    columns.map((column) => sql`${name}.${sql.identifier(column.name)}`),
    sql`, `,
  )
}

export const tableName = ({ table }: Readable) => sql.identifier(getTableName(table))

const existsBy = ({ since }: Readable, release: string): SQL =>
  sql`${sql.identifier(since.name)} <= ${sql.placeholder(release)}`

const endsAfter = (release: string): SQL => sql`until_release > ${sql.placeholder(release)}`
