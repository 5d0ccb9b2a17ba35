/** Keeps what came of a source's last load. */
import type { Sql, TransactionSql } from "postgres"
import type { RowCounts } from "../db/source-status.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { Published } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { excerpt } from "../text/excerpt.ts"
import { storableText } from "../text/storable-text.ts"
import { type FileFigures, sum } from "./figures.ts"

export interface Loaded {
  source: string
  resource: ResourceName
  /** As its source declares it. What is stored already stays: an operator may have said more. */
  published: Published | undefined
  files: readonly FileFigures[]
  /** When the files were true. */
  observed: string
  /** Digests of the files; null where they are not known. */
  digests: readonly string[] | null
  /** Null where its records did not change. */
  release: number | null
}

/** In the load's transaction, after its release has been inserted. */
export async function recordLoad(sql: TransactionSql, loaded: Loaded): Promise<void> {
  const { source, resource, published, files, observed, digests, release } = loaded
  await sql.unsafe(
    `insert into sources as s (name, resource, last_loaded_at, last_outcome, last_observed_at,
       last_files, last_release, last_changed_at, counts, licence, attribution)
     values ($1, $2, date_trunc('second', clock_timestamp()), $3, $4, $5::text[], $6,
       (select published_at from releases where id = $6), $7::text::jsonb, $8, $9)
     on conflict (name, resource) do update set
       last_loaded_at = excluded.last_loaded_at, last_outcome = excluded.last_outcome,
       last_reason = null,
       last_observed_at = greatest(s.last_observed_at, excluded.last_observed_at),
       last_files = excluded.last_files,
       last_release = coalesce(excluded.last_release, s.last_release),
       last_changed_at = coalesce(excluded.last_changed_at, s.last_changed_at),
       counts = excluded.counts,
       licence = coalesce(s.licence, excluded.licence),
       attribution = coalesce(s.attribution, excluded.attribution)`,
    [
      source,
      resource,
      release === null ? "unchanged" : "published",
      observed,
      digests && arrayLiteral(digests),
      release,
      JSON.stringify(rowCounts(files)),
      published?.licence ?? null,
      published?.attribution ?? null,
    ],
  )
}

/**
 * Of files that were fetched again, with the bytes of the last ones that were not refused.
 * @returns false, and records nothing, where they are other files
 */
export async function recordUnchanged(
  sql: Sql,
  source: string,
  resource: ResourceName,
  digests: readonly string[],
): Promise<boolean> {
  const { count } = await sql.unsafe(
    `update sources set last_loaded_at = date_trunc('second', clock_timestamp()),
       last_outcome = 'unchanged', last_reason = null
     where name = $1 and resource = $2 and last_files = $3::text[]`,
    [source, resource, arrayLiteral(digests)],
  )
  return count > 0
}

export interface Fetched {
  source: string
  resource: ResourceName
  /** Its query and what identifies a person are left out. */
  address: URL
  /** As the operator's file of addresses has them; what a source declares stays where they are missing. */
  licence: string | undefined
  attribution: string | undefined
  at: Date
}

/** Records where the files of a completed fetch came from, and on what terms. */
export async function recordFetched(sql: Sql, fetched: Fetched): Promise<void> {
  const { source, resource, address, licence, attribution, at } = fetched
  await sql.unsafe(
    `update sources set last_fetched_at = $3, address = $4,
       licence = coalesce($5, licence), attribution = coalesce($6, attribution)
     where name = $1 and resource = $2`,
    [
      source,
      resource,
      at.toISOString(),
      address.origin + address.pathname,
      licence ?? null,
      attribution ?? null,
    ],
  )
}

/** Of a load that was refused and rolled back, or of files that could not be fetched. */
export async function recordRefusal(
  sql: Sql,
  source: string,
  resource: ResourceName,
  reason: string,
): Promise<void> {
  await sql.unsafe(
    `insert into sources as s (name, resource, last_loaded_at, last_outcome, last_reason)
     values ($1, $2, date_trunc('second', clock_timestamp()), 'refused', $3)
     on conflict (name, resource) do update set
       last_loaded_at = excluded.last_loaded_at, last_outcome = 'refused',
       last_reason = excluded.last_reason`,
    [source, resource, storableText(excerpt(reason, maxReason))],
  )
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
