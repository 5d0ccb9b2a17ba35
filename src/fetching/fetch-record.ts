/**
 * The fetches of a source, as the database records them for all processes and hosts that share it. The
 * process that has the lock of the source writes the record. Times are as `2026-01-02T03:04:05Z`.
 */
import type { Connection } from "../db/connection.ts"
import { utc } from "../db/utc.ts"
import { digestsOf } from "../loading/observation.ts"
import { fullBasis, recordOutcome } from "../loading/source-record.ts"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import type { FetchedFile } from "./fetch-files.ts"
import { type Fetchable, publicAddress } from "./sources-file.ts"

/** The source of the row. */
type Fetched = Pick<Source, "name" | "resource">

export interface FetchTimes {
  /** When the last fetch with an outcome began. */
  attempted: string | null
  /** When the last fetch began that received all files. */
  fetched: string | null
}

export async function lastFetch(sql: Connection, { name, resource }: Fetched): Promise<FetchTimes> {
  const [row] = await sql.unsafe<FetchTimes[]>(
    `select ${utc("last_attempted_at")} as attempted, ${utc("last_fetched_at")} as fetched
     from sources where name = $1 and resource = $2`,
    [name, resource.name],
  )
  return row ?? { attempted: null, fetched: null }
}

/** How fetched files relate to loaded ones. */
export interface KnownFiles {
  /** They are the last that a load read. */
  areLoaded: boolean
  /** A further load would do the same: see `load-basis.ts`. */
  hasSameBasis: boolean
  /** They are those of the last fetch, also after a refused load. */
  areFetched: boolean
  /** When the newest files that were loaded were true. */
  observed: string | null
}

/** @param digests sorted */
export async function knownFiles(
  sql: Connection,
  { name, resource }: Fetched,
  digests: readonly string[],
  basis: string,
): Promise<KnownFiles> {
  const [row] = await sql.unsafe<KnownFiles[]>(
    `select last_files is not distinct from $3::text[] as "areLoaded",
       last_basis is not distinct from ${fullBasis("$4::text", "$2")} as "hasSameBasis",
       last_fetched_files is not distinct from $3::text[] as "areFetched",
       ${utc("last_observed_at")} as observed
     from sources where name = $1 and resource = $2`,
    [name, resource.name, arrayLiteral(digests), basis],
  )
  return row ?? { areLoaded: false, hasSameBasis: false, areFetched: false, observed: null }
}

/**
 * Records where the files of a completed fetch came from, and on what terms: those of the operator's entry,
 * else the declared ones.
 * @param isLoaded whether a load has recorded its outcome; otherwise the files are unchanged
 */
export async function recordFetched(
  client: Connection,
  { source, entry }: Fetchable,
  files: readonly FetchedFile[],
  { at, isLoaded, seconds }: { at: string; isLoaded: boolean; seconds: number },
): Promise<void> {
  await client.begin(async (sql) => {
    if (!isLoaded) await recordOutcome(sql, source, { outcome: "unchanged", reason: null, seconds })
    await sql.unsafe(
      `update sources set last_attempted_at = $3, last_fetched_at = $3, address = $4,
         last_fetched_files = $5::text[],
         licence = coalesce($6, licence), attribution = coalesce($7, attribution)
       where name = $1 and resource = $2`,
      [
        source.name,
        source.resource.name,
        at,
        publicAddress(entry),
        arrayLiteral(digestsOf(files)),
        entry.licence ?? null,
        entry.attribution ?? null,
      ],
    )
  })
}

/** @param at when the fetch began */
export async function recordFailedFetch(
  client: Connection,
  source: Fetched,
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
