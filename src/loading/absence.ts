/**
 * What becomes of stored records that a complete set lacks. Public downloads lack records for hours,
 * the largest companies among them, so such a record is first noted as missing and keeps its values.
 * It goes once it has been missing from every load of its source for a time, and in at least two
 * loads of files of different times. A load that has it deletes the note.
 *
 * Where the files are an operator's own word, and where the operator says so, it goes at once.
 */
import type { TransactionSql } from "postgres"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import type { ChangeFigures } from "./figures.ts"
import { keepInHistory } from "./history.ts"
import type { Staging } from "./staging.ts"

export interface Context {
  sql: TransactionSql
  staging: Staging
  source: string
  whenMissing: Source["whenMissing"]
  /** Keys of rejected rows: their records are in the files, and not missing. */
  rejectedKeys: readonly string[]
}

/** The files of a load and their time. */
interface Observed {
  /** When the files were true. */
  observed: string
  /** Whether that is known, and not only when they were loaded. */
  observedIsGiven: boolean
  /** A digest of the files; null where it is not known. */
  files: string | null
}

export interface AbsenceRule extends Observed {
  atOnce: boolean
  absentAfterHours: number
}

export interface Absent {
  /** Records of the source, without those already deactivated. */
  stored: number
  /** Those of them that no file has. */
  absent: number
  /** Absent, and in the last load not yet. */
  newly: number
}

/** A record that has been deactivated already is not missing again. */
export const isStored = (whenMissing: Source["whenMissing"], source: string): string =>
  `t.source = ${source}${whenMissing === "remove" ? "" : ` and t.${whenMissing.setFalse}`}`

/**
 * Whether a load lacks a noted record anew. The same bytes are the same download, whatever has been
 * loaded since, unless it is known that they were true at another time.
 */
const isFurther = (observed: string, isGiven: string, files: string): string =>
  `(${observed}::timestamptz > m.last_missing_at
     and (${isGiven}::boolean or coalesce(m.last_files <> ${files}, true)))`

const confirmed = `m.loads + ${isFurther("$4", "$7", "$8")}::integer >= 2
  and m.missing_since <= $4::timestamptz - make_interval(hours => $5::integer)`

/** Collects the records that no file has in a temporary table, and decides which of them go now. */
export async function findAbsent(
  { sql, staging, source, whenMissing, rejectedKeys }: Context,
  { atOnce, absentAfterHours, observed, observedIsGiven, files }: AbsenceRule,
): Promise<Absent> {
  const { staged, table, key } = staging
  await sql.unsafe(`
    drop table if exists absent;
    create temporary table absent (
      key text collate "C", is_new boolean, goes boolean
    ) on commit drop`)
  await sql.unsafe(
    `insert into absent
     select t.${key}, m.key is null, $6::boolean or coalesce(${confirmed}, false)
     from ${table} t
       left join missing_records m on m.source = $1 and m.resource = $2 and m.key = t.${key}
     where ${isStored(whenMissing, "$1")}
       and not exists (select from ${staged} s where s.${key} = t.${key})
       and not exists (select from unnest($3::text[]) as rejected (key) where rejected.key = t.${key})`,
    [
      source,
      table,
      arrayLiteral(rejectedKeys),
      observed,
      absentAfterHours,
      atOnce,
      observedIsGiven,
      files,
    ],
  )
  await sql.unsafe("analyze absent")
  const [counts] = await sql.unsafe<[Absent]>(
    `select count(*)::integer as absent, count(*) filter (where is_new)::integer as newly,
       (select count(*)::integer from ${table} t where ${isStored(whenMissing, "$1")}) as stored
     from absent`,
    [source],
  )
  return counts
}

/** Removes or deactivates the records that go now. */
export async function applyAbsent(
  { sql, staging, whenMissing }: Context,
  release: number,
): Promise<Pick<ChangeFigures, "removed" | "deactivated">> {
  const { resource, table, key } = staging
  const condition = `t.${key} in (select key from absent where goes)`
  const removal =
    whenMissing === "remove"
      ? `delete from ${table} t where ${condition}`
      : `update ${table} t set ${whenMissing.setFalse} = false, since_release = $1::integer where ${condition}`
  const { count } = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, condition, "$1")}) ${removal}`,
    [release],
  )
  return whenMissing === "remove"
    ? { removed: count, deactivated: 0 }
    : { removed: 0, deactivated: count }
}

/**
 * Notes the records that are missing and do not go yet, and forgets every other note of the source.
 * Call it before records are removed. Returns how many noted records the files have again.
 */
export async function noteAbsent(
  context: Context,
  { observed, observedIsGiven, files }: Observed,
): Promise<number> {
  const { sql, staging, source } = context
  const returned = await forgetReturned(context)
  const { table } = staging
  await sql.unsafe(
    `delete from missing_records m where m.source = $1 and m.resource = $2
       and not exists (select from absent a where a.key = m.key and not a.goes)`,
    [source, table],
  )
  await sql.unsafe(
    `insert into missing_records as m
       (source, resource, key, missing_since, last_missing_at, loads, last_files)
     select $1::text, $2::text, key, $3::timestamptz, $3::timestamptz, 1, $5::text
     from absent where not goes
     on conflict (source, resource, key) do update set
       loads = m.loads + 1, last_missing_at = excluded.last_missing_at,
       last_files = excluded.last_files
     where ${isFurther("excluded.last_missing_at", "$4", "excluded.last_files")}`,
    [source, table, observed, observedIsGiven, files],
  )
  return returned
}

/** Deletes the notes of records that the files have. Returns their number. */
export async function forgetReturned(context: Context): Promise<number> {
  const { sql, staging, source, rejectedKeys } = context
  const { staged, table, key } = staging
  const [any] = await sql`
    select from missing_records where source = ${source} and resource = ${table} limit 1`
  if (!any) return 0
  const { count } = await sql.unsafe(
    `delete from missing_records m where m.source = $1 and m.resource = $2
       and (m.key = any($3::text[]) or exists (select from ${staged} s where s.${key} = m.key))`,
    [source, table, arrayLiteral(rejectedKeys)],
  )
  return count
}
