/**
 * The statements that read a resource. Only statements that Drizzle prepares are prepared on the
 * server too, so each shape (resource, filters, order, way to the page) is built once and kept. Shapes
 * are few, since values are always bound.
 *
 * Every statement returns the newest release that its snapshot saw. A statement on the current table
 * reads that release, which may be newer than the requested one. It returns null instead if the
 * requested release, by its number and time of publication, is no longer there.
 */
import { and, is, SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import type { PostgresJsDatabase } from "drizzle-orm/postgres-js"
import { filterOf, keyColumn, type OrderTerm, type Readable } from "../../resources/resource.ts"
import { releases } from "../schema.ts"
import { type Part, type Relation, relationOf, releaseName, updatedSinceName } from "./relations.ts"
import { noRelease, type Release } from "./releases.ts"
import { after, orderBy } from "./seek.ts"

/** The condition that a row belongs to a record of another resource, whose key is bound as `parent`. */
export type Scope = (parentKey: SQL) => SQL

/** The shape of a list: all that determines a statement except the page and the bound values. */
export interface ListShape {
  resource: Readable
  /** Names of the filters in use. */
  filters: readonly string[]
  /** Where the list belongs to one record of another resource. */
  parent?: { resource: Readable; scope: Scope } | undefined
  order: readonly OrderTerm[]
  /** Restricts the list to records that changed after the release bound as `updated_since`. */
  updated: boolean
  /** Lists the records removed since the release bound as `removed_since`, instead of the existing ones. */
  removed: boolean
}

/** The releases that a statement saw. */
export interface SeenReleases {
  /** The number of the newest release; null if the requested release is not there. */
  release: number | null
}

export interface Found extends SeenReleases {
  record: Record<string, unknown>
}

export interface Row extends Found {
  /** The row's position in its list; see `seek.ts`. */
  position: Record<string, unknown>
}

interface Prepared<T> {
  execute(values: Record<string, unknown>): Promise<T[]>
}

/** The name under which the time of the requested release is bound. */
const publishedAtName = "release_published_at"

/** The name under which the parent's key is bound. */
export const parentName = "parent"

/** All bind the release with `bindRelease`; those on lists bind the filters and the parent's key. */
export interface Statements {
  /** Rows of a page by its offset. Binds `limit` and `offset`. */
  rowsFrom(shape: ListShape, relation: Relation): Prepared<Row>
  /** Rows after a position. Binds `limit` and the position's values. */
  rowsAfter(shape: ListShape, nulls: readonly boolean[], relation: Relation): Prepared<Row>
  count(shape: ListShape, relation: Relation): Prepared<SeenReleases & { total: number }>
  /** One record by its key, bound as `key`: one row always, in which every field is null if there is none. */
  find(resource: Readable, relation: Relation): Prepared<Found>
  /** Whether a record exists. */
  exists(resource: Readable, relation: Relation): Prepared<SeenReleases & { exists: boolean }>
}

/** One column: two would make a chunk of many rows noticeably slower. */
const seenReleases = {
  release: sql<number | null>`case
    when coalesce(
      (select extract(epoch from ${releases.published_at})::float8
        from ${releases}
        where ${releases.id} = ${sql.placeholder(releaseName)} and not ${releases.is_pruned}),
      ${noRelease.publishedAt}
    ) = ${sql.placeholder(publishedAtName)}::float8
    then (select coalesce(max(${releases.id}), 0) from ${releases})
  end`,
}

/** Binds the requested release. */
export const bindRelease = ({ id, publishedAt }: Release): Record<string, unknown> => ({
  [releaseName]: id,
  [publishedAtName]: publishedAt,
})

export function createStatements(db: PostgresJsDatabase): Statements {
  const prepared = new Map<string, unknown>()
  const once = <T>(key: string, build: () => Prepared<T>): Prepared<T> => {
    let statement = prepared.get(key) as Prepared<T> | undefined
    if (!statement) {
      statement = build()
      prepared.set(key, statement)
    }
    return statement
  }
  const rows = (resource: Readable, order: readonly OrderTerm[], relation: Relation, part?: Part) =>
    db
      .select({
        ...seenReleases,
        record: selection(resource),
        position: positions(order),
      })
      .from(relationOf(resource, relation, part))

  return {
    rowsFrom: (shape, relation) =>
      once(`from ${relation} ${keyOf(shape)}`, () => {
        const first = {
          orderBy: orderBy(shape.order),
          limit: sql`${sql.placeholder("limit")}::bigint + ${sql.placeholder("offset")}::bigint`,
        }
        const where = conditionOf(shape)
        return rows(shape.resource, shape.order, relation, { where, updated: shape.updated, first })
          .where(where)
          .orderBy(...first.orderBy)
          .limit(sql.placeholder("limit"))
          .offset(sql.placeholder("offset"))
          .prepare("rowsFrom")
      }),
    rowsAfter: (shape, nulls, relation) =>
      once(`after ${relation} ${nulls} ${keyOf(shape)}`, () => {
        const first = {
          orderBy: orderBy(shape.order),
          limit: sql`${sql.placeholder("limit")}`,
        }
        const where = and(conditionOf(shape), after(shape.order, nulls))
        return rows(shape.resource, shape.order, relation, { where, updated: shape.updated, first })
          .where(where)
          .orderBy(...first.orderBy)
          .limit(sql.placeholder("limit"))
          .prepare("rowsAfter")
      }),
    count: (shape, relation) =>
      once(`count ${relation} ${keyOf({ ...shape, order: [] })}`, () => {
        const where = conditionOf(shape)
        const part = { where, updated: shape.updated }
        return db
          .select({ ...seenReleases, total: sql<number>`count(*)`.mapWith(Number) })
          .from(relationOf(shape.resource, relation, part))
          .where(where)
          .prepare("count")
      }),
    find: (resource, relation) =>
      once(`find ${relation} ${resource.name}`, () =>
        db
          .select({ ...seenReleases, record: selection(resource) })
          .from(sql`(select 1) as one`)
          .leftJoin(sql`${relationOf(resource, relation)}`, isKey(resource))
          .prepare("find"),
      ),
    exists: (resource, relation) =>
      once(`exists ${relation} ${resource.name}`, () => {
        const record = sql`select from ${relationOf(resource, relation)} where ${isKey(resource)}`
        return db
          .select({ ...seenReleases, exists: sql<boolean>`exists (${record})` })
          .from(sql`(select 1) as one`)
          .prepare("exists")
      }),
  }
}

const isKey = (resource: Readable): SQL => sql`${keyColumn(resource)} = ${sql.placeholder("key")}`

const selection = ({ fields }: Readable) =>
  Object.fromEntries(Object.entries(fields).map(([name, { select }]) => [name, expression(select)]))

const positions = (order: readonly OrderTerm[]) =>
  Object.fromEntries(order.map(({ column }, index) => [`${index}`, expression(column)]))

/** A column as an expression, since Drizzle rejects columns of a table that is not in FROM itself. */
const expression = (select: PgColumn | SQL): SQL =>
  is(select, SQL) ? select : sql`${select}`.mapWith(select)

const conditionOf = ({ resource, filters, parent, updated }: ListShape): SQL | undefined =>
  and(
    updated ? sql`${resource.since} > ${sql.placeholder(updatedSinceName)}` : undefined,
    parent?.scope(sql`${sql.placeholder(parentName)}`),
    ...filters.map((name) => filterOf(resource, name).where(sql`${sql.placeholder(name)}`)),
  )

const keyOf = ({ resource, filters, parent, order, updated }: ListShape): string =>
  [
    resource.name,
    parent ? `of ${parent.resource.name}` : "",
    updated ? "updated" : "",
    [...filters].sort(),
    ...order.map(({ column, direction }) => `${column.name} ${direction}`),
  ].join(" ")
