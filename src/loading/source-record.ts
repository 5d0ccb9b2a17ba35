/** Records the outcome of a source's last load, and the totals by outcome. */
import type { TransactionSql } from "postgres"
import type { RowCounts } from "../db/source-status.ts"
import type { LoadOutcome } from "../db/source-tables.ts"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { excerpt, printableText, storableText } from "../text/printable-text.ts"
import { type FileFigures, rowsRead, sum, totalOf } from "./figures.ts"
import type { Load } from "./load-options.ts"
import { digestsOf } from "./observation.ts"

export interface Loaded {
  /** When the files were true. */
  observed: string
  /** Whether that is known, and not only the time of the load. */
  observedIsKnown: boolean
  /** See `load-basis.ts`. */
  basis: string
  /** Null where no record changed. */
  release: number | null
}

/** In the load's transaction, after its release has been inserted. */
export async function recordLoad(
  sql: TransactionSql,
  { source, files, startedMs }: Load,
  { observed, observedIsKnown, basis, release }: Loaded,
): Promise<void> {
  const { published, name, resource } = source
  const outcome = release === null ? "unchanged" : "published"
  await recordOutcome(sql, source, { outcome, reason: null, seconds: secondsSince(startedMs) })
  await sql.unsafe(
    `update sources set last_loaded_at = date_trunc('second', clock_timestamp()),
       last_observed_at = greatest(last_observed_at, $3),
       -- The same bytes are the same download, whose time stays known.
       last_observed_is_known = $4
         or case when last_files = $5::text[] then last_observed_is_known else false end,
       last_files = $5::text[], last_basis = ${fullBasis("$6::text", "$2", "$7")},
       last_release = coalesce($7, last_release),
       last_changed_at = coalesce((select published_at from releases where id = $7), last_changed_at),
       counts = $8::text::jsonb,
       licence = coalesce(licence, $9), attribution = coalesce(attribution, $10)
     where name = $1 and resource = $2`,
    [
      name,
      resource.name,
      observed,
      observedIsKnown,
      arrayLiteral(digestsOf(files)),
      basis,
      release,
      JSON.stringify(rowCounts(files)),
      published?.licence ?? null,
      published?.attribution ?? null,
    ],
  )
}

/**
 * The basis of a load with the newest release of its resource, because the records of other sources also
 * decide which records a load may change. An expression; null where the basis is null.
 * @param release of the load itself, which the table does not have yet
 */
export const fullBasis = (basis: string, resource: string, release = "null::integer"): string =>
  `${basis} || ' ' || coalesce(greatest(${release}::integer,
     (select max(last_release) from sources where resource = ${resource})), 0)`

interface Outcome {
  outcome: LoadOutcome
  /** Why a load was refused or a fetch failed; null for other outcomes. */
  reason: string | null
  /** Since the fetch began or, without one, the load. */
  seconds: number
}

/** Records the outcome of a load or a fetch, which creates the row of a new source. */
export async function recordOutcome(
  sql: TransactionSql,
  { name, resource }: Pick<Source, "name" | "resource">,
  { outcome, reason, seconds }: Outcome,
): Promise<void> {
  const shown = reason === null ? null : storableText(printableText(excerpt(reason, maxReason)))
  await sql.unsafe(
    `insert into sources (name, resource, last_outcome, last_reason) values ($1, $2, $3, $4)
     on conflict (name, resource) do update set
       last_outcome = excluded.last_outcome, last_reason = excluded.last_reason`,
    [name, resource.name, outcome, shown],
  )
  await sql.unsafe(
    `update sources set totals = totals || jsonb_build_object($3::text, jsonb_build_object(
       'loads', coalesce((totals->$3->>'loads')::bigint, 0) + 1,
       'seconds', coalesce((totals->$3->>'seconds')::float8, 0) + $4::float8))
     where name = $1 and resource = $2`,
    [name, resource.name, outcome, seconds],
  )
}

const maxReason = 1000

function rowCounts(files: readonly FileFigures[]): RowCounts {
  return {
    files: files.length,
    read: rowsRead(files),
    accepted: totalOf(files, ({ accepted }) => accepted),
    rejected: totalOf(files, ({ rejected }) => rejected),
    unknown_values: totalOf(files, ({ warnings }) => sum(warnings)),
  }
}

/** @param startedMs by `performance.now()` */
export const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1000
