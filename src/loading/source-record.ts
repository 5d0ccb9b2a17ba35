/** Keeps what came of a source's last load. */
import type { Sql, TransactionSql } from "postgres"
import type { RowCounts } from "../db/source-status.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { Published } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { excerpt } from "../text/excerpt.ts"
import { printableText } from "../text/printable-text.ts"
import { storableText } from "../text/storable-text.ts"
import { type FileFigures, sum } from "./figures.ts"
import { countLoad } from "./load-totals.ts"

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

export interface Refused {
  source: string
  resource: ResourceName
  reason: string
  /** How long it took. */
  seconds: number
}

/** Of a load that was refused and rolled back. */
export async function recordRefusal(
  client: Sql,
  { source, resource, reason, seconds }: Refused,
): Promise<void> {
  await client.begin(async (sql) => {
    await countLoad(sql, { source, resource, outcome: "refused", seconds })
    await sql.unsafe(
      `insert into sources as s (name, resource, last_loaded_at, last_outcome, last_reason)
       values ($1, $2, date_trunc('second', clock_timestamp()), 'refused', $3)
       on conflict (name, resource) do update set
         last_loaded_at = excluded.last_loaded_at, last_outcome = 'refused',
         last_reason = excluded.last_reason`,
      [source, resource, storedReason(reason)],
    )
  })
}

export const storedReason = (reason: string): string =>
  storableText(printableText(excerpt(reason, maxReason)))

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
