/**
 * The statements that read a resource. Only what Drizzle prepares is prepared on the server too, so
 * each shape (resource, filters, order, way to the page) is built once and kept; shapes are few,
 * since values are always bound.
 *
 * Every statement returns the release that its snapshot saw, so that what is put together from two
 * of them can be checked to belong together.
 */
import { and, type SQL, sql } from "drizzle-orm"
import type { PostgresJsDatabase } from "drizzle-orm/postgres-js"
import { filterOf, keyColumn, type OrderTerm, type Resource } from "../resources/resource.ts"
import { releases } from "./schema.ts"
import { after, orderBy } from "./seek.ts"

/** What makes a row belong to a record of another resource, whose key is bound as `parent`. */
export type Scope = (parentKey: SQL) => SQL

/** What a list's rows are: everything that decides a statement but the page and the values. */
export interface ListShape {
  resource: Resource
  /** Names of the filters in use. */
  filters: readonly string[]
  /** Where the list belongs to one record of another resource. */
  parent?: { resource: Resource; scope: Scope } | undefined
  order: readonly OrderTerm[]
}

export interface Row {
  release: number
  record: Record<string, unknown>
  /** The row's position in its list; see `seek.ts`. */
  position: Record<string, unknown>
}

interface Prepared<T> {
  execute(values: Record<string, unknown>): Promise<T[]>
}

/** The name under which the parent's key is bound. */
export const parentName = "parent"

export interface Statements {
  /** Rows of a page by its offset. Binds `limit`, `offset`, the filters and the parent's key. */
  rowsFrom(shape: ListShape): Prepared<Row>
  /** Rows after a position. Binds `limit`, the position's values, the filters and the parent's key. */
  rowsAfter(shape: ListShape, nulls: readonly boolean[]): Prepared<Row>
  count(shape: ListShape): Prepared<{ release: number; total: number }>
  /** One record by its key, bound as `key`. */
  find(resource: Resource): Prepared<Row>
  /** Whether a record exists. */
  exists(resource: Resource): Prepared<{ release: number; exists: boolean }>
}

const seenRelease = sql<number>`(select coalesce(max(${releases.id}), 0) from ${releases})`

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
  const rows = (resource: Resource, order: readonly OrderTerm[]) =>
    db
      .select({ release: seenRelease, record: selection(resource), position: positions(order) })
      .from(resource.table)

  return {
    rowsFrom: (shape) =>
      once(`from ${keyOf(shape)}`, () =>
        rows(shape.resource, shape.order)
          .where(conditionOf(shape))
          .orderBy(...orderBy(shape.order))
          .limit(sql.placeholder("limit"))
          .offset(sql.placeholder("offset"))
          .prepare("rowsFrom"),
      ),
    rowsAfter: (shape, nulls) =>
      once(`after ${nulls} ${keyOf(shape)}`, () =>
        rows(shape.resource, shape.order)
          .where(and(conditionOf(shape), after(shape.order, nulls)))
          .orderBy(...orderBy(shape.order))
          .limit(sql.placeholder("limit"))
          .prepare("rowsAfter"),
      ),
    count: (shape) =>
      once(`count ${keyOf({ ...shape, order: [] })}`, () =>
        db
          .select({ release: seenRelease, total: sql<number>`count(*)`.mapWith(Number) })
          .from(shape.resource.table)
          .where(conditionOf(shape))
          .prepare("count"),
      ),
    find: (resource) =>
      once(`find ${resource.name}`, () =>
        rows(resource, [])
          .where(sql`${keyColumn(resource)} = ${sql.placeholder("key")}`)
          .prepare("find"),
      ),
    exists: (resource) =>
      once(`exists ${resource.name}`, () => {
        const key = sql`${keyColumn(resource)} = ${sql.placeholder("key")}`
        const record = sql`select from ${resource.table} where ${key}`
        return db
          .select({ release: seenRelease, exists: sql<boolean>`exists (${record})` })
          .from(sql`(select 1) as one`)
          .prepare("exists")
      }),
  }
}

const selection = ({ fields }: Resource) =>
  Object.fromEntries(Object.entries(fields).map(([name, { select }]) => [name, select]))

const positions = (order: readonly OrderTerm[]) =>
  Object.fromEntries(order.map(({ column }, index) => [`${index}`, column]))

const conditionOf = ({ resource, filters, parent }: ListShape): SQL | undefined =>
  and(
    parent?.scope(sql`${sql.placeholder(parentName)}`),
    ...filters.map((name) => filterOf(resource, name).where(sql`${sql.placeholder(name)}`)),
  )

const keyOf = ({ resource, filters, parent, order }: ListShape): string =>
  [
    resource.name,
    parent ? `of ${parent.resource.name}` : "",
    [...filters].sort(),
    ...order.map(({ column, direction }) => `${column.name} ${direction}`),
  ].join(" ")
