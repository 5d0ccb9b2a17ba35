/**
 * The statements that read a resource. Only statements that Drizzle prepares are prepared on the
 * server too, so each shape (resource, filters, order, way to the page) is built once and kept until
 * others push it out: filters combine to thousands of shapes, of which few are in use.
 *
 * Every statement returns the newest release that its snapshot saw. A statement on the current table
 * reads that release, which may be newer than the requested one. It returns null instead if the
 * requested release, by its number and identity, is no longer there.
 */
import { and, is, SQL, sql } from "drizzle-orm"
import { type PgColumn, PgDialect, type PgTable } from "drizzle-orm/pg-core"
import { LRUCache } from "lru-cache"
import type { Database } from "../db/pool/pool.ts"
import { releasesTable } from "../db/schema.ts"
import {
  type FieldSet,
  filterOf,
  keyColumn,
  namesInSet,
  type OrderTerm,
  type Readable,
  type ResourceRecord,
} from "../resources/resource.ts"
import { countOfFew } from "./count-of-few.ts"
import { firstMatches } from "./first-matches.ts"
import {
  type Part,
  type Relation,
  relationOf,
  releaseName,
  removedValue,
  sinceName,
} from "./relations.ts"
import { type Release, releaseKey } from "./releases.ts"
import { createRecordSink, type RowsQuery, type RowsRead, readRows } from "./rows.ts"
import { isAfter, orderBy, type Position, sortTerms } from "./seek.ts"
import { mostShapeBytes, shapeOf, withinShapeLimit } from "./shapes.ts"

/** A record of another resource that a list belongs to. */
export interface Parent {
  resource: Readable
  /** The condition that a row belongs to the record. */
  scope: (parentKey: SQL) => SQL
}

/** The shape of a list: all that determines a statement except the page and the bound values. */
export interface ListShape {
  resource: Readable
  /** The fields of its records. */
  fieldSet: FieldSet
  /** Names of the filters in use. */
  filters: readonly string[]
  /** Names of the filters whose values no index can find. */
  byScan?: readonly string[]
  /** Where the list belongs to one record of another resource. */
  parent?: Parent | undefined
  order: readonly OrderTerm[]
  /**
   * Only the records that changed after the release bound as `since`, of an `explained` resource with what changed,
   * or those that have left the list since.
   */
  since?: "changed" | "explained" | "removed" | undefined
}

/** A list as a client requested it. */
export interface List extends ListShape {
  /** Values that the filters bind, by name. */
  bound: Readonly<Record<string, unknown>>
  /** The record that the list belongs to, by key. The list exists only where the record does. */
  parent?: (Parent & { key: string }) | undefined
  /** Identifies the list by a short text: equal for lists with the same rows in the same order. */
  identity: string
}

/** Whether the list's rows are found by a scan of the table: no index serves the values of a filter. */
export const isScanned = ({ byScan = [] }: ListShape): boolean => byScan.length > 0

/** Whether an index finds the list's rows by a part of a text, or by an area. */
const hasIndexedMatches = ({ resource, filters, byScan, since }: ListShape): boolean =>
  since === undefined &&
  filters.some((name) => filterOf(resource, name).isIndexed && !byScan?.includes(name))

/** The release of a list, and the earlier one that it is compared with, if it is. */
export interface At {
  release: Release
  /** Its number. Of a list of versions, the oldest available release: pruning shortens the list. */
  since?: number | undefined
}

/** Identifies a list at a release. */
export const listKey = (list: List, { release, since }: At): string =>
  `${releaseKey(release)} ${list.since ?? ""} ${since ?? ""} ${list.identity}`

/** The values that every statement on the list binds. */
export const bindingsOf = (
  { bound, parent }: Pick<List, "bound" | "parent">,
  { since }: At,
): Record<string, unknown> => ({
  ...bound,
  ...(parent && { [parentName]: parent.key }),
  ...(since !== undefined && { [sinceName]: since }),
})

export interface Page extends RowsRead {
  records: readonly ResourceRecord[]
}

/** A statement that is built once. */
interface PreparedPage extends RowsQuery {
  execute(values: Record<string, unknown>): Promise<Page>
}

/** The placeholder of the requested release's identity. */
const identityName = "release_identity"

/** The placeholder of the parent's key. */
const parentName = "parent"

const dialect = new PgDialect()

/** Each takes some 20 KB. The driver limits those that are prepared on a connection. */
const mostStatements = 500

/** One column: two would make a chunk of many rows noticeably slower. */
const seenReleases = {
  release: sql<number | null>`case
    when coalesce(
      (select ${releasesTable.identity}::text = ${sql.placeholder(identityName)}::text
        from ${releasesTable}
        where ${releasesTable.id} = ${sql.placeholder(releaseName)} and not ${releasesTable.is_pruned}),
      ${sql.placeholder(identityName)}::text = ''
    )
    then (select coalesce(max(${releasesTable.id}), 0) from ${releasesTable})
  end`,
}

/** Binds the requested release. */
export const bindRelease = (release: Release): Record<string, unknown> => ({
  [releaseName]: release.id,
  [identityName]: release.identity,
})

export type Statements = ReturnType<typeof createStatements>

/** All bind the release with `bindRelease`; those on lists bind the filters and the parent's key. */
export function createStatements(db: Database) {
  const prepared = new LRUCache<string, object>({ max: mostStatements })
  const once = <T extends object>(key: string, build: () => T): T => {
    let statement = prepared.get(key) as T | undefined
    if (!statement) {
      statement = build()
      prepared.set(key, statement)
    }
    return statement
  }
  const page = (query: RowsQuery): PreparedPage => ({
    ...query,
    execute: async (values) => {
      const { records, ...sink } = createRecordSink(query)
      return { ...(await readRows(db, query, values, sink)), records }
    },
  })
  const pageOf = (
    { resource, fieldSet, order }: ListShape,
    { from, where }: PageRows,
    names = namesInSet(resource, fieldSet),
  ) => {
    const columns = { record: selection(resource, fieldSet, names), position: positions(order) }
    const rowsOf = (selected: typeof columns | (typeof columns & typeof seenReleases)) =>
      db
        .select(selected)
        .from(from)
        .where(where)
        .orderBy(orderBy(order))
        .limit(sql.placeholder("limit"))
        .offset(sql.placeholder("offset"))
    // For each of many rows, the join would take as long as reading it.
    const whenEmpty = sql`select ${seenReleases.release}, page.*
      from (select) as one left join (${rowsOf(columns)}) as page on true`
    const query = dialect.sqlToQuery(rowsOf({ ...seenReleases, ...columns }).getSQL())
    return page({ ...query, whenEmpty: dialect.sqlToQuery(whenEmpty), resource, names, order })
  }
  /**
   * Returns a function that makes the statement for rows in a list's order, fewer where their shapes take much memory.
   * Its `after` is a position after which to begin, whose values are bound.
   */
  const rowsFor =
    (use: keyof typeof mostShapeBytes) =>
    (shape: ListShape, relation: Relation, after?: Position): PreparedPage =>
      once(`${use} ${after !== undefined} ${relation} ${keyOf(shape)}`, () => {
        const further = after && isAfter(shape.order)
        const found = hasIndexedMatches(shape)
          ? { from: firstMatches(shape, relation, partOf(shape, further), pageEnd, further) }
          : pageRows(shape, relation, further)
        return pageOf(shape, limited(shape, found, mostShapeBytes[use]))
      })
  /** Prepares a statement that returns exactly one row. */
  const oneRow = <T extends Record<string, SQL>>(columns: T, from: SQL) => {
    const statement = db
      .select({ ...seenReleases, ...columns })
      .from(from)
      .prepare("one row")
    return {
      ...statement.getQuery(),
      execute: async (values: Record<string, unknown>) => {
        const [row] = await statement.execute(values)
        if (!row) throw new Error("A statement returned no row")
        return row
      },
    }
  }

  return {
    /** Rows of an export. Binds `limit`, an `offset` of 0, and the values of the position. */
    chunk: rowsFor("chunk"),
    /** The same for a page, with how many rows to skip as `offset`. */
    page: rowsFor("page"),
    /** The rows that have one of the keys bound as `keys`, separated by spaces. Binds `limit` and `offset`. */
    rowsOfKeys: (shape: ListShape, relation: Relation): PreparedPage =>
      once(`rows of keys ${relation} ${keyOf(shape)}`, () => {
        const keys = sql`string_to_array(${sql.placeholder("keys")}, ' ')`
        const hasKey = sql`${keyColumn(shape.resource)} = any(${keys})`
        const found = pageRows(shape, relation, hasKey)
        return pageOf(shape, limited(shape, found, mostShapeBytes.page))
      }),
    /**
     * The number of rows. Where they are found by a scan and are few, the same scan finds their keys,
     * separated by spaces; null otherwise.
     */
    count: (asked: ListShape, relation: Relation) => {
      const shape = withoutNeedlessChanges(asked)
      const order = isScanned(shape) ? shape.order : []
      return once(`count ${relation} ${keyOf({ ...shape, order })}`, () => {
        const rows = rowsIn(shape, relation)
        const counted = isScanned(shape)
          ? countOfFew(shape, rows)
          : sql`select count(*) as total, null as keys ${rows}`
        return oneRow(countColumns, sql`(${counted}) as counted`)
      })
    },
    /** The same as `chunk` without records: an index-only scan of the order. */
    positions: (shape: ListShape, relation: Relation, after?: Position): PreparedPage =>
      once(`positions ${after !== undefined} ${relation} ${keyOf(shape)}`, () =>
        pageOf(shape, pageRows(shape, relation, after && isAfter(shape.order)), []),
      ),
    /** Records by their keys, bound as `keys`, an array literal. */
    find: (resource: Readable, fieldSet: FieldSet, relation: Relation): PreparedPage =>
      once(`find ${relation} ${fieldSet} ${resource.name}`, () => {
        const names = namesInSet(resource, fieldSet)
        const hasKey = sql`${keyColumn(resource)} = any(${sql.placeholder("keys")}::text[])`
        const found = db
          .select({ ...seenReleases, record: selection(resource, fieldSet, names) })
          .from(sql`(select 1) as one`)
          .leftJoin(sql`${relationOf(resource, relation)}`, hasKey)
        return page({ ...dialect.sqlToQuery(found.getSQL()), resource, names, order: [] })
      }),
    /**
     * How many rows have each value that a filter counts: of a column, or of arrays, and then in order.
     */
    facet: (shape: ListShape, filter: string, relation: Relation, isSampled: boolean) =>
      once(`facet ${filter} ${isSampled} ${relation} ${keyOf({ ...shape, order: [] })}`, () => {
        const { values, where } = filterOf(shape.resource, filter)
        if (!values) throw new Error(`The values of ${filter} are not counted`)
        const part = isSampled ? sql`limit ${sampledRows}` : sql``
        if ("keys" in values) {
          const { keys, spellings } = values
          const rows = sql`${rowsIn(shape, relation)} ${part}`
          // The query planner runs this form in parallel; it is twice as fast as a join with the arrays.
          const each = sql`select unnest(${keys}) as key, unnest(${spellings}) as value ${rows}`
          const counted = sql`select key, value collate "C" as value, count(*) as rows
            from (${each}) as each where key is not null group by 1, 2`
          const ranked = sql`select (array_agg(value order by rows desc, value))[1] as value,
            sum(rows) as rows from (${counted}) as counted group by key`
          const columns = { groups: sql<Groups | null>`null`, ranked: rankedOf }
          return oneRow(columns, sql`(${ranked}) as ranked`)
        }
        const { column, each } = values
        const counted = relation === "removed" && each ? { each, where } : undefined
        const value = counted ? removedValue : column
        const rows = sql`select ${value} as value ${rowsIn(shape, relation, counted)} ${part}`
        const groups = sql`select value, count(*) as rows from (${rows}) as counted
          group by 1 limit ${mostGroups} + 1`
        const columns = { groups: groupsOf, ranked: sql<string[] | null>`null` }
        return oneRow(columns, sql`(${groups}) as grouped`)
      }),
  }
}

/** They are found soon, however many there are. */
const sampledRows = sql.raw("2000")

/** Bounds the memory that counting takes: a list of several values has more combinations than values. */
const mostGroups = sql.raw("50000")

/** How many rows have which value. */
export type Groups = readonly (readonly [value: string | null, rows: number])[]

/** Each as JSON, most frequent first, equal counts by value. */
const rankedOf = sql`coalesce(string_agg(
  json_build_array(value, rows)::text, e'\\n' order by rows desc, value collate "C"), '')`.mapWith(
  (text: string): string[] | null => (text === "" ? [] : text.split("\n")),
)

/** Null for more. As text, since the driver parses no JSON. */
const groupsOf = sql`case when count(*) <= ${mostGroups}
  then coalesce(json_agg(json_build_array(value, rows)), '[]')::text end`.mapWith(
  (text: string): Groups | null => JSON.parse(text),
)

const countColumns = {
  total: sql<number>`total`.mapWith(Number),
  keys: sql<string | null>`keys`,
}

/** The columns of a record. */
const selection = ({ fields }: Readable, set: FieldSet, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const { select, column } = fields[name] ?? {}
      if (!select || !column) return []
      const isShape = set === "all with shapes" && name === "geometry"
      return [[name, expression(isShape ? shapeOf(column) : select)]]
    }),
  )

/** Of which a page or a chunk has the first rows in their order. */
interface PageRows {
  from: PgTable | SQL
  where?: SQL | undefined
}

const pageOffset = sql`${sql.placeholder("offset")}::bigint`
/** How many rows of the list a page or a chunk reads. */
const pageEnd = sql`${sql.placeholder("limit")}::bigint + ${pageOffset}`

function pageRows(shape: ListShape, relation: Relation, further?: SQL): PageRows {
  const { resource, order } = shape
  const part = partOf(shape, further)
  const first = { orderBy: orderBy(order), limit: pageEnd }
  return { from: relationOf(resource, relation, { ...part, first }), where: part.where }
}

/** Fewer rows where their shapes take more. */
const limited = (shape: ListShape, rows: PageRows, mostBytes: number): PageRows =>
  shape.fieldSet === "all with shapes"
    ? { from: withinShapeLimit(shape, rows, { end: pageEnd, skipped: pageOffset, mostBytes }) }
    : rows

/** FROM and WHERE of a list. */
function rowsIn(shape: ListShape, relation: Relation, counted?: Part["counted"]): SQL {
  const part = { ...partOf(shape), counted }
  const rows = relationOf(shape.resource, relation, part)
  return sql`from ${rows} where ${part.where ?? sql`true`}`
}

const positions = (order: readonly OrderTerm[]) =>
  Object.fromEntries(sortTerms(order).map(({ value }, index) => [`${index}`, value]))

/** A column as an expression, since Drizzle rejects columns of a table that is not in FROM itself. */
const expression = (select: PgColumn | SQL): SQL =>
  is(select, SQL) ? select : sql`${select}`.mapWith(select)

const conditionOf = ({ resource, filters, byScan, parent, since }: ListShape): SQL | undefined =>
  and(
    isUpdated(since) ? sql`${resource.since} > ${sql.placeholder(sinceName)}` : undefined,
    parent?.scope(sql`${sql.placeholder(parentName)}`),
    ...filters.map((name) => {
      const condition = filterOf(resource, name).where(sql`${sql.placeholder(name)}`)
      // A form that no index serves.
      return byScan?.includes(name) ? sql`(${condition}) is true` : condition
    }),
  )

/** What changed in each record takes a look-up that no total needs, unless it counts the records of some kinds. */
const withoutNeedlessChanges = (shape: ListShape): ListShape =>
  shape.since === "explained" && !shape.filters.includes("changed")
    ? { ...shape, since: "changed" }
    : shape

const isUpdated = (since: ListShape["since"]): boolean =>
  since === "changed" || since === "explained"

/** @param further condition on the rows of the list */
function partOf(shape: ListShape, further?: SQL): Part {
  const { since, filters } = shape
  const inList = conditionOf(shape)
  const ofList = filters.filter((name) => name !== "changed")
  return {
    where: and(inList, further),
    inList,
    updated: isUpdated(since),
    ...(since === "explained" && {
      wasInList: conditionOf({ ...shape, since: undefined, filters: ofList }) ?? sql`true`,
    }),
  }
}

const keyOf = (shape: ListShape): string => {
  const { resource, fieldSet, filters, byScan = [], parent, order, since } = shape
  return [
    `${fieldSet} ${resource.name}`,
    parent ? `of ${parent.resource.name}` : "",
    since ?? "",
    [...filters].sort(),
    `by scan ${[...byScan].sort()}`,
    ...order.map(({ column, direction }) => `${column.name} ${direction}`),
  ].join(" ")
}
