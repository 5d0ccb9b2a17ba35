/** Records the outcome of a source's last load, and the totals by outcome. */
import type { Sql, TransactionSql } from "postgres"
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
  await sql.unsafe(
    `insert into sources as s (name, resource, last_loaded_at, last_outcome, last_observed_at,
       last_files, last_release, last_changed_at, counts, licence, attribution, last_basis,
       last_observed_is_known)
     values ($1, $2, date_trunc('second', clock_timestamp()), $3, $4, $5::text[], $6,
       (select published_at from releases where id = $6), $7::text::jsonb, $8, $9,
       ${fullBasis("$10::text", "$2", "$6")}, $11)
     on conflict (name, resource) do update set
       last_loaded_at = excluded.last_loaded_at, last_outcome = excluded.last_outcome,
       last_reason = null,
       last_observed_at = greatest(s.last_observed_at, excluded.last_observed_at),
       -- The same bytes are the same download, whose time stays known.
       last_observed_is_known = excluded.last_observed_is_known
         or case when s.last_files = excluded.last_files then s.last_observed_is_known else false end,
       last_files = excluded.last_files, last_basis = excluded.last_basis,
       last_release = coalesce(excluded.last_release, s.last_release),
       last_changed_at = coalesce(excluded.last_changed_at, s.last_changed_at),
       counts = excluded.counts,
       licence = coalesce(s.licence, excluded.licence),
       attribution = coalesce(s.attribution, excluded.attribution)`,
    [
      name,
      resource.name,
      outcome,
      observed,
      arrayLiteral(digestsOf(files)),
      release,
      JSON.stringify(rowCounts(files)),
      published?.licence ?? null,
      published?.attribution ?? null,
      basis,
      observedIsKnown,
    ],
  )
  await countLoad(sql, source, outcome, secondsSince(startedMs))
}

/**
 * The basis of a load with the newest release of its resource, because the records of other sources also
 * decide which records a load may change. An expression; null where the basis is null.
 * @param release of the load itself, which the table does not have yet
 */
export const fullBasis = (basis: string, resource: string, release = "null::integer"): string =>
  `${basis} || ' ' || coalesce(greatest(${release}::integer,
     (select max(last_release) from sources where resource = ${resource})), 0)`

interface Unloaded {
  /** `refused`: a load was rolled back; `failed`: a fetch loaded nothing */
  outcome: "refused" | "failed"
  reason: string
  /** When the fetch began, as `2026-01-02T03:04:05Z`; null for a load. */
  attempted: string | null
  seconds: number
}

export async function recordUnloaded(
  client: Sql,
  source: Counted,
  { outcome, reason, attempted, seconds }: Unloaded,
): Promise<void> {
  await client.begin(async (sql) => {
    await sql.unsafe(
      `insert into sources as s
         (name, resource, last_loaded_at, last_outcome, last_reason, last_attempted_at)
       values ($1, $2, case when $3 = 'refused' then date_trunc('second', clock_timestamp()) end, $3, $4, $5)
       on conflict (name, resource) do update set
         last_loaded_at = coalesce(excluded.last_loaded_at, s.last_loaded_at),
         last_outcome = excluded.last_outcome, last_reason = excluded.last_reason,
         last_attempted_at = coalesce(excluded.last_attempted_at, s.last_attempted_at)`,
      [
        source.name,
        source.resource.name,
        outcome,
        storableText(printableText(excerpt(reason, maxReason))),
        attempted,
      ],
    )
    await countLoad(sql, source, outcome, seconds)
  })
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

type Counted = Pick<Source, "name" | "resource">

/**
 * Call it after the statement that records the outcome, in its transaction: then the source has a row.
 * @param seconds since the fetch began or, without one, the load
 */
export async function countLoad(
  sql: TransactionSql,
  { name, resource }: Counted,
  outcome: LoadOutcome,
  seconds: number,
): Promise<void> {
  await sql.unsafe(
    `update sources set totals = totals || jsonb_build_object($3::text, jsonb_build_object(
       'loads', coalesce((totals->$3->>'loads')::bigint, 0) + 1,
       'seconds', coalesce((totals->$3->>'seconds')::float8, 0) + $4::float8))
     where name = $1 and resource = $2`,
    [name, resource.name, outcome, seconds],
  )
}

/** @param startedMs by `performance.now()` */
export const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1000
