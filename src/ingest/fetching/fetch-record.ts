/**
 * The fetches of a source, as the database records them for all processes and hosts that share it. The
 * process that has the lock of the source writes the record. Times are as `2026-01-02T03:04:05Z`.
 */
import type { Connection } from "../../data/db/connection.ts"
import { recordOutcome } from "../loading/source-record.ts"
import type { Source } from "../sources/source.ts"
import { type Fetchable, publicAddress } from "./sources-file.ts"

/**
 * Records where the files of a completed fetch came from, and on what terms: those of the operator's entry,
 * else the declared ones.
 * @param isLoaded whether a load has recorded its outcome; otherwise the files are unchanged
 */
export async function recordFetched(
  client: Connection,
  { source, entry }: Fetchable,
  { at, isLoaded, seconds }: { at: string; isLoaded: boolean; seconds: number },
): Promise<void> {
  await client.begin(async (sql) => {
    if (!isLoaded) await recordOutcome(sql, source, { outcome: "unchanged", reason: null, seconds })
    await sql.unsafe(
      `update sources set last_attempted_at = $3, last_fetched_at = $3, address = $4,
         licence = coalesce($5, licence), attribution = coalesce($6, attribution)
       where name = $1 and resource = $2`,
      [
        source.name,
        source.resource.name,
        at,
        publicAddress(entry),
        entry.licence ?? null,
        entry.attribution ?? null,
      ],
    )
  })
}

/** @param at when the fetch began */
export async function recordFailedFetch(
  client: Connection,
  source: Source,
  { at, reason, seconds }: { at: string; reason: string; seconds: number },
): Promise<void> {
  await client.begin(async (sql) => {
    await recordOutcome(sql, source, { outcome: "failed", reason, seconds })
    await sql.unsafe(
      "update sources set last_attempted_at = $3 where name = $1 and resource = $2",
      [source.name, source.resource.name, at],
    )
  })
}
