/** Records the outcome of a source's last load, and the totals by outcome. */
import type { Sql, TransactionSql } from "postgres"
import type { RowCounts } from "../../data/db/source-status.ts"
import type { LoadOutcome } from "../../data/db/source-tables.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { excerpt, printableText, storableText } from "../../system/text/printable-text.ts"
import type { Source } from "../sources/source.ts"
import { rowsRead, sum, totalOf } from "./figures.ts"
import type { LoadError } from "./load-error.ts"
import type { Load } from "./load-options.ts"
import { digestsOf, type Observed } from "./observation.ts"
import type { Staging } from "./staging.ts"
import { keepsFiles } from "./stored-holders.ts"

/** In the load's transaction. `publishRelease` names the release. @param isPublished whether a record changed */
export async function recordLoad(
  { sql, load, files }: Staging,
  { time, isKnown }: Observed,
  isPublished: boolean,
): Promise<void> {
  const { source, startedMs } = load
  const { published, name, resource } = source
  const outcome = isPublished ? "published" : "unchanged"
  const counts: RowCounts = {
    files: files.length,
    read: rowsRead(files),
    accepted: totalOf(files, ({ accepted }) => accepted),
    rejected: totalOf(files, ({ rejected }) => rejected),
    unknown_values: totalOf(files, ({ warnings }) => sum(warnings)),
  }
  await recordOutcome(sql, source, { outcome, reason: null, seconds: secondsSince(startedMs) })
  await sql.unsafe(
    `update sources set last_loaded_at = date_trunc('second', clock_timestamp()),
       last_observed_at = $3, last_observed_is_known = $4, last_files = $5::text[], counts = $6::text::jsonb,
       licence = coalesce(licence, $7), attribution = coalesce(attribution, $8)
     where name = $1 and resource = $2`,
    [
      name,
      resource.name,
      time,
      isKnown,
      arrayLiteral(digestsOf(files)),
      JSON.stringify(counts),
      published?.licence ?? null,
      published?.attribution ?? null,
    ],
  )
}

/** A failure to record the refusal must not hide the reason of the refusal. */
export async function recordRefusal(
  client: Sql,
  { source, progress, startedMs, holderNames }: Load,
  { message, finding }: LoadError,
): Promise<void> {
  // A message may have the name of a person in it.
  const reason = keepsFiles(holderNames, source.resource) ? message : finding
  const refusal = { outcome: "refused" as const, reason, finding, seconds: secondsSince(startedMs) }
  try {
    await client.begin((sql) => recordOutcome(sql, source, refusal))
  } catch (error) {
    progress.warn(`Cannot record that the load was refused: ${error}`)
  }
}

interface Outcome {
  outcome: LoadOutcome
  /** Why a load was refused or a fetch failed; null for other outcomes. */
  reason: string | null
  /** Why a load was refused, without values of rows. */
  finding?: string | null
  /** Since the fetch began or, without one, the load. */
  seconds: number
}

/** Records the outcome of a load or a fetch, which creates the row of a new source. */
export async function recordOutcome(
  sql: TransactionSql,
  { name, resource }: Pick<Source, "name" | "resource">,
  { outcome, reason, finding = null, seconds }: Outcome,
): Promise<void> {
  const shown = reason === null ? null : storableText(printableText(excerpt(reason, maxReason)))
  await sql.unsafe(
    `insert into sources as s (name, resource, last_outcome, last_reason, last_finding, totals)
     values ($1, $2, $3, $4, $6, jsonb_build_object($3::text, jsonb_build_object('loads', 1, 'seconds', $5::float8)))
     on conflict (name, resource) do update set
       last_outcome = excluded.last_outcome, last_reason = excluded.last_reason,
       last_finding = excluded.last_finding,
       totals = s.totals || jsonb_build_object($3::text, jsonb_build_object(
         'loads', coalesce((s.totals->$3->>'loads')::bigint, 0) + 1,
         'seconds', coalesce((s.totals->$3->>'seconds')::float8, 0) + $5))`,
    [name, resource.name, outcome, shown, seconds, finding],
  )
}

const maxReason = 1000

/** @param startedMs by `performance.now()` */
export const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1000
