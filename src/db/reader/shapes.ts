/** Selects the shapes of records, which have digests in place of them. */
import { type SQL, sql } from "drizzle-orm"
import type { PgColumn, PgTable } from "drizzle-orm/pg-core"
import type { OrderTerm, Readable } from "../../resources/resource.ts"
import { tableName } from "./relations.ts"
import { orderBy } from "./seek.ts"

/** Limit of the shapes that one statement reads; a larger shape has a statement to itself. */
const mostBytes = sql.raw(String(4 * 1024 ** 2))

/** The shape as text of GeoJSON; null where there is none. */
export const shapeOf = (digest: PgColumn): SQL => sql`(
  select case count(*) when 1 then '{"type":"Polygon","coordinates":' else '{"type":"MultiPolygon","coordinates":[' end
    || string_agg(coordinates, ',' order by part) || case count(*) when 1 then '}' else ']}' end
  from shape_parts where shape = ${digest})`

/**
 * A relation with the first rows in the list's order, at least one and at most the limit. It ends before their
 * shapes together exceed `mostBytes`, which a single shape may exceed.
 */
export function withinShapeLimit(
  { resource, order }: { resource: Readable; order: readonly OrderTerm[] },
  { from, where = sql`true` }: { from: PgTable | SQL; where?: SQL | undefined },
  limit: SQL,
): SQL {
  const name = tableName(resource)
  const inOrder = sql`order by ${sql.join(orderBy(order), sql`, `)}`
  const bytes = sql`(select sum(octet_length(coordinates)) from shape_parts where shape = geometry)`
  return sql`(
    select * from (
      select *, row_number() over so_far as place, coalesce(sum(${bytes}) over so_far, 0) as bytes
      from (select * from ${from} where ${where} ${inOrder} limit ${limit}) as ${name}
      window so_far as (${inOrder} rows unbounded preceding)
    ) as ${name} where place = 1 or bytes <= ${mostBytes}
  ) as ${name}`
}
