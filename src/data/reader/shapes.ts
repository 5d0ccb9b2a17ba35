/** Selects the shapes of records, which have digests in place of them. */
import { type SQL, sql } from "drizzle-orm"
import type { PgColumn, PgTable } from "drizzle-orm/pg-core"
import type { OrderTerm, Readable } from "../resources/resource.ts"
import { tableName } from "./relations.ts"
import { orderBy } from "./seek.ts"

/** Limits of the shapes that one statement reads; a larger shape has a statement to itself. */
export const mostShapeBytes = { chunk: 4 * 1024 ** 2, page: 8 * 1024 ** 2 }

/** The shape as text of GeoJSON; null where there is none. */
export const shapeOf = (digest: PgColumn): SQL => sql`(
  select case count(*) when 1 then '{"type":"Polygon","coordinates":' else '{"type":"MultiPolygon","coordinates":[' end
    || string_agg(coordinates, ',' order by part) || case count(*) when 1 then '}' else ']}' end
  from shape_parts where shape = ${digest})`

/**
 * A relation with the first rows in the list's order. It ends before the shapes of the rows after `skipped`
 * together exceed `mostBytes`, which a single shape may exceed.
 * @param end how many rows it has at most
 */
export function withinShapeLimit(
  { resource, order }: { resource: Readable; order: readonly OrderTerm[] },
  { from, where = sql`true` }: { from: PgTable | SQL; where?: SQL | undefined },
  { end, skipped, mostBytes }: { end: SQL; skipped: SQL; mostBytes: number },
): SQL {
  const name = tableName(resource)
  const inOrder = sql`order by ${orderBy(order)}`
  const bytes = sql`(select sum(octet_length(coordinates)) from shape_parts where shape = geometry)`
  return sql`(
    select * from (
      select *, coalesce(sum(case when place > ${skipped} then ${bytes} end) over (order by place), 0) as bytes
      from (
        select *, row_number() over (${inOrder}) as place from ${from} where ${where} ${inOrder} limit ${end}
      ) as ${name}
    ) as ${name} where place <= ${skipped} + 1 or bytes <= ${sql.raw(String(mostBytes))}
  ) as ${name}`
}
