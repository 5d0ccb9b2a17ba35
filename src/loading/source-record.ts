/** Records what came of a source's loads: of the last one, and in the totals by outcome. */
import type { Sql, TransactionSql } from "postgres"
import type { RowCounts } from "../db/source-status.ts"
import type { LoadOutcome } from "../db/source-tables.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { Published } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { excerpt, printableText, storableText } from "../text/printable-text.ts"
import { type FileFigures, sum } from "./figures.ts"

export interface Loaded {
  source: string
  resource: ResourceName
  /** As its source declares it. What is stored already stays: an operator may have said more. */
  published: Published | undefined
  files: readonly FileFigures[]
  /** When the files were true. */
  observed: string
  /** Whether that is known, and not only when they were loaded. */
  observedIsKnown: boolean
  /** Digests of the files; null where they are not known. */
  digests: readonly string[] | null
  /** See `load-basis.ts`; null where the digests are not known. */
  basis: string | null
  /** Null where its records did not change. */
  release: number | null
  /** How long it took so far. */
  seconds: number
}

/** In the load's transaction, after its release has been inserted. */
export async function recordLoad(sql: TransactionSql, loaded: Loaded): Promise<void> {
  const { source, resource, published, files, observed, observedIsKnown } = loaded
  const { digests, basis, release, seconds } = loaded
  const outcome = release === null ? "unchanged" : "published"
  await countLoad(sql, { source, resource, outcome, seconds })
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
       -- The same bytes are the same download, whose time is as well known as before.
       last_observed_is_known = excluded.last_observed_is_known
         or case when s.last_files = excluded.last_files then s.last_observed_is_known else false end,
       last_files = excluded.last_files, last_basis = excluded.last_basis,
       last_release = coalesce(excluded.last_release, s.last_release),
       last_changed_at = coalesce(excluded.last_changed_at, s.last_changed_at),
       counts = excluded.counts,
       licence = coalesce(s.licence, excluded.licence),
       attribution = coalesce(s.attribution, excluded.attribution)`,
    [
      source,
      resource,
      outcome,
      observed,
      digests && arrayLiteral(digests),
      release,
      JSON.stringify(rowCounts(files)),
      published?.licence ?? null,
      published?.attribution ?? null,
      basis,
      observedIsKnown,
    ],
  )
}

/**
 * The basis of a load with the newest release of its resource: another source's records decide too on
 * what a load may change. An expression; null where the basis is.
 * @param release that of the load itself, which the table does not have yet
 */
export const fullBasis = (basis: string, resource: string, release = "null::integer"): string =>
  `${basis} || ' ' || coalesce(greatest(${release}::integer,
     (select max(last_release) from sources where resource = ${resource})), 0)`

export interface Unloaded {
  source: string
  resource: ResourceName
  /** A load was refused and rolled back, or a fetch loaded nothing. */
  outcome: "refused" | "failed"
  reason: string
  /** How long it took. */
  seconds: number
}

export async function recordUnloaded(client: Sql, unloaded: Unloaded): Promise<void> {
  const { source, resource, outcome, reason } = unloaded
  await client.begin(async (sql) => {
    await countLoad(sql, unloaded)
    await sql.unsafe(
      `insert into sources as s (name, resource, last_loaded_at, last_outcome, last_reason)
       values ($1, $2, case when $3 = 'refused' then date_trunc('second', clock_timestamp()) end, $3, $4)
       on conflict (name, resource) do update set
         last_loaded_at = coalesce(excluded.last_loaded_at, s.last_loaded_at),
         last_outcome = excluded.last_outcome, last_reason = excluded.last_reason`,
      [source, resource, outcome, storableText(printableText(excerpt(reason, maxReason)))],
    )
  })
}

const maxReason = 1000

function rowCounts(files: readonly FileFigures[]): RowCounts {
  const total = (count: (file: FileFigures) => number) =>
    files.reduce((all, file) => all + count(file), 0)
  return {
    files: files.length,
    read: total(({ read }) => read),
    accepted: total(({ accepted }) => accepted),
    rejected: total(({ rejected }) => rejected),
    unknown_values: total(({ warnings }) => sum(warnings)),
  }
}

interface Ended {
  source: string
  resource: string
  outcome: LoadOutcome
  /** Since the fetch began or, without one, the load; of a load of several resources, for each. */
  seconds: number
}

/** In the transaction that records the outcome, so that each is counted once. */
export async function countLoad(
  sql: TransactionSql,
  { source, resource, outcome, seconds }: Ended,
): Promise<void> {
  await sql.unsafe(
    `insert into load_totals as t (source, resource, outcome, loads, seconds)
     values ($1, $2, $3, 1, $4)
     on conflict (source, resource, outcome) do update set
       loads = t.loads + 1, seconds = t.seconds + excluded.seconds`,
    [source, resource, outcome, seconds],
  )
}

/** @param startedMs by `performance.now()` */
export const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1000
