import type { Sql, TransactionSql } from "postgres"
import { utc } from "./utc.ts"

/** Where a release comes from. */
export interface ReleaseOrigin {
  id: number
  published_at: string
  source: string
  /** When its files were true; null where its manifest does not say. */
  observed: string | null
  /** Null where there was no file as stored. */
  files: { name: string; sha256: string | null }[]
}

/** Null where there is no such release. */
export async function releaseOrigin(
  sql: Sql | TransactionSql,
  id: number,
): Promise<ReleaseOrigin | null> {
  const [row] = await sql.unsafe<ReleaseOrigin[]>(
    `select id, ${utc("published_at")} as published_at, source, manifest->>'observed' as observed,
       (select coalesce(jsonb_agg(jsonb_build_object('name', file->'name', 'sha256', file->>'sha256')), '[]')
        from jsonb_path_query(manifest, '$.files[*]') file) as files
     from releases where id = $1`,
    [id],
  )
  return row ?? null
}
