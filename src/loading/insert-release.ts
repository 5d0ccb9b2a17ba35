import type { TransactionSql } from "postgres"
import type { Manifest } from "./figures.ts"

/** In the transaction of its load. */
export async function insertRelease(
  sql: TransactionSql,
  release: number,
  source: string,
  manifest: Manifest,
): Promise<void> {
  // Truncated, not rounded, so that no release is dated in the future; and never before the previous one.
  await sql.unsafe(
    `insert into releases (id, published_at, source, manifest)
     select $1, greatest(date_trunc('second', clock_timestamp()), max(published_at)), $2, $3::text::jsonb
     from releases`,
    [release, source, JSON.stringify(manifest)],
  )
}
