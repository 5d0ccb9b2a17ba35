/** The SQL that groups the rows of a list by values. */
import { type SQL, sql } from "drizzle-orm"
import type { Readable } from "../../resources/resource.ts"

/** More are neither read nor kept: nobody could look through them. */
const mostGroups = sql.raw("5000")

/**
 * The groups, one a row.
 * @param rows FROM and WHERE of the list
 */
export function grouped(resource: Readable, fields: readonly string[], rows: SQL): SQL {
  const columns = fields.map((name) => {
    const field = resource.fields[name]
    if (!field) throw new Error(`${resource.name} has no field ${name}`)
    return sql`${field.column}`
  })
  const group = sql.join([...columns, sql`count(*)`], sql`, `)
  return sql`select json_build_array(${group}) as "group" ${rows}
    group by ${sql.join(columns, sql`, `)} limit ${mostGroups} + 1`
}

/** All of them as one text of JSON. */
export const groupsText = sql<string>`case when count(*) <= ${mostGroups}
  then coalesce(json_agg("group"), '[]')::text else 'null' end`
