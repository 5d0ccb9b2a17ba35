/**
 * Reading the manifests of releases. They are JSON that a load has written, or whatever wrote the release in
 * its place: what does not have the form that is read here is left out, and fails nothing.
 */
import { type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"

/** The path, for `jsonb_path_query`, of the files with a name, in their order. */
export const manifestFiles = `'$.files[*] ? (@.name.type() == "string")'`

const mostCounted = "1000000000"

/** How many records of the resource the release has added, changed, deactivated or removed; 0 if it is not said. */
export const manifestCount = (manifest: PgColumn, resource: string, kind: string): SQL<number> =>
  sql<number>`coalesce(jsonb_path_query_first(${manifest},
    ${sql.raw(`'$.resources.${resource}.${kind} ? (@ >= 0 && @ <= ${mostCounted})'`)})::integer, 0)`
