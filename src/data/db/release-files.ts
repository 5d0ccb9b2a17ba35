import type { TransactionSql } from "postgres"
import { utc } from "./utc.ts"

/** The origin of a release. */
export interface ReleaseOrigin {
  id: number
  published_at: string
  source: string
  /** As of `knownTime`. */
  observed: string | null
  /** The digest is null if no file was stored. */
  files: { name: string; sha256: string | null }[]
}

/** The time of the files of a release; null if unknown. */
const knownTime =
  "case when (manifest -> 'observed_is_known')::boolean then manifest ->> 'observed' end"

/** Returns null for an unknown release. */
export async function releaseOrigin(
  sql: TransactionSql,
  id: number,
): Promise<ReleaseOrigin | null> {
  const [row] = await sql.unsafe<ReleaseOrigin[]>(
    `select id, ${utc("published_at")} as published_at, source, ${knownTime} as observed,
       (select coalesce(jsonb_agg(jsonb_build_object('name', file->'name', 'sha256', file->>'sha256')), '[]')
        from jsonb_path_query(manifest, '$.files[*]') file) as files
     from releases where id = $1`,
    [id],
  )
  return row ?? null
}

export type ReleaseRow = Readonly<Record<string, string | number | boolean | null>>

/** The newest first, with the records of all resources that each changed, as `/releases` counts them. */
export const newestReleases = (sql: TransactionSql, count: number): Promise<ReleaseRow[]> =>
  sql.unsafe<ReleaseRow[]>(
    `select id as release, ${utc("published_at")} as published_at, source,
       ${knownTime} as data_as_of, added, changed, removed, is_pruned
     from releases, lateral (
       select coalesce(sum((value->>'added')::integer), 0)::integer as added,
         coalesce(sum((value->>'changed')::integer + (value->>'deactivated')::integer), 0)::integer
           + coalesce((select sum(value::integer) from jsonb_each_text(manifest #> '{links,changed}')), 0)::integer as changed,
         coalesce(sum((value->>'removed')::integer), 0)::integer as removed
       from jsonb_each(manifest->'resources')
     ) as counts
     order by id desc limit $1`,
    [count],
  )
