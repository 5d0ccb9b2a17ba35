/**
 * Stored records that a complete set lacks. Public downloads lack records for hours, the largest
 * companies among them, so the load first notes such a record as missing and keeps its values. It
 * removes the record once every load of its source has lacked it for a time, and at least two loads of
 * files of different times have. A load that has the record deletes the note.
 *
 * Files of an operator's own, and the operator's option, remove it at once.
 */

import { largestRecords, missingRecords, namesOf } from "../db/missing-records.ts"
import type { Source } from "../sources/source.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { digest } from "../text/digest.ts"
import { formatCount } from "../text/display.ts"
import { hourMs, secondOf } from "../text/time.ts"
import type { ChangeFigures, FileFigures, MissingFigures } from "./figures.ts"
import { keepInHistory, withoutFile } from "./history.ts"
import { LoadError } from "./load-error.ts"
import type { Load } from "./load-options.ts"
import { digestsOf } from "./observation.ts"
import type { Staging } from "./staging.ts"

export interface AbsenceRule {
  load: Load
  files: readonly FileFigures[]
  /** Keys of rejected rows, whose records are not missing. */
  rejectedKeys: readonly string[]
  /** Whether the files are their source's complete set, and the load has read all of it. */
  isWhole: boolean
  /** When the files were true. */
  observed: string
  /** Whether that is known, and not only the time of the load. */
  isGiven: boolean
}

const removesAtOnce = ({ removeMissingNow, source }: Load): boolean =>
  removeMissingNow === true || source.removesMissingAtOnce === true

/** Whether the time of the files is known, and the digest of the files. */
const observationOf = ({ isGiven, files }: AbsenceRule): [isGiven: boolean, files: string] => [
  isGiven,
  digest(digestsOf(files).join()),
]

interface Missing extends Pick<ChangeFigures, "removed" | "deactivated"> {
  /** The keys of records that were missing, and that the files have again. */
  returned: string[]
  figures: MissingFigures
}

/** Of the missing records, in the summary. */
const maxLargest = 5

/** @throws LoadError where more than a twentieth of the records is missing */
export async function applyMissing(
  staging: Staging,
  rule: AbsenceRule,
  release: number,
): Promise<Missing> {
  if (rule.isWhole) await findAbsent(staging, rule)
  const returned = await deleteNotes(staging, rule)
  const { newly, ...changes } = rule.isWhole
    ? await applyAbsent(staging, rule, release)
    : { removed: 0, deactivated: 0, newly: 0 }
  const missing = await countMissing(staging)
  const { sql, source, resource } = staging
  const largest = await missingRecords(sql, source, resource.name, maxLargest)
  return {
    ...changes,
    returned,
    figures: { missing, newly, returned: returned.length, largest },
  }
}

/** Deletes the notes of records that have a row, also a rejected one. Returns their keys. */
async function deleteNotes(
  { sql, source, staged, table, key }: Staging,
  { rejectedKeys }: AbsenceRule,
): Promise<string[]> {
  const rows = await sql.unsafe<{ key: string }[]>(
    `delete from missing_records m where source = $1 and resource = $2
       and (key = any($3::text[]) or exists (select from ${staged} s where s.${key} = m.key))
     returning m.key`,
    [source, table, arrayLiteral(rejectedKeys)],
  )
  return rows.map((row) => row.key)
}

/**
 * Whether a load is a further one that lacks a noted record. The same bytes are the same download, also
 * after loads of others, unless they are known to be of another time.
 */
const isFurther = (observed: string, isGiven: string, files: string): string =>
  `(${observed}::timestamptz > m.last_missing_at
     and (${isGiven}::boolean or coalesce(m.last_files <> ${files}, true)))`

const confirmed = `m.loads + ${isFurther("$4", "$7", "$8")}::integer >= 2
  and m.missing_since <= $4::timestamptz - make_interval(hours => $5::integer)`

/** An inactive record is not missing again. */
const isStored = ({ deactivatesMissing }: Source): string =>
  `t.source = $1${deactivatesMissing ? " and t.is_active" : ""}`

/** Whether the files would have the record, if its source still had it. */
const isCovered = ({ staged }: Staging, { source: { completeBy } }: Load): string =>
  completeBy === undefined ? "true" : `t.${completeBy} in (select s.${completeBy} from ${staged} s)`

/** Collects the records that no file has in a temporary table, and decides which of them to remove. */
async function findAbsent(staging: Staging, rule: AbsenceRule): Promise<void> {
  const { sql, source, staged, table, key } = staging
  const { load, observed } = rule
  await sql.unsafe(`
    create temporary table absent (
      key text collate "C", is_new boolean, is_removed boolean
    ) on commit drop`)
  await sql.unsafe(
    `insert into absent
     select t.${key}, m.key is null, $6::boolean or coalesce(${confirmed}, false)
     from ${table} t
       left join missing_records m on m.source = $1 and m.resource = $2 and m.key = t.${key}
     where ${isStored(load.source)}
       and not exists (select from ${staged} s where s.${key} = t.${key})
       and ${isCovered(staging, load)}
       and not exists (select from unnest($3::text[]) as rejected (key) where rejected.key = t.${key})`,
    [
      source,
      table,
      arrayLiteral(rule.rejectedKeys),
      observed,
      load.absentAfterHours,
      removesAtOnce(load),
      ...observationOf(rule),
    ],
  )
  await sql.unsafe("analyze absent")
  if (!load.acceptShrink) await guardAgainstShrinking(staging, load)
}

const maxMissingShare = 0.05
/** Of the missing records, in the message. */
const maxNamed = 3
/** Of the missing records: as many new ones show that the files have the records under other ids. */
const minRenamedShare = 0.5

/**
 * The guard against a truncated download: a complete set that lacks more than a twentieth of its
 * source's records is more often half a file than a true one. A record counts once: in the load that
 * lacks it first or, where missing records are removed at once, in the load that would remove it. So
 * records that are already missing do not stop the loads that follow.
 */
async function guardAgainstShrinking(staging: Staging, load: Load): Promise<void> {
  const { sql, source, staged, table, key } = staging
  const atOnce = removesAtOnce(load)
  const [{ stored, missing, added }] = await sql.unsafe<
    [Record<"stored" | "missing" | "added", number>]
  >(
    `select count(*) filter (where is_new or $2::boolean)::integer as missing,
       (select count(*)::integer from ${table} t where ${isStored(load.source)}) as stored,
       (select count(*)::integer from ${staged} s
        where not exists (select from ${table} t where t.${key} = s.${key})) as added
     from absent`,
    [source, atOnce],
  )
  if (missing <= stored * maxMissingShare) return
  const share = ((100 * missing) / stored).toFixed(1)
  const { deactivatesMissing } = load.source
  const active = deactivatesMissing ? "active " : ""
  const effect = deactivatesMissing ? "deactivated" : "removed"
  const keys = `select key from absent${atOnce ? "" : " where is_new"}`
  const largest = await largestRecords(sql, staging.resource.name, keys, maxNamed)
  const cure =
    load.source.states && added >= missing * minRenamedShare
      ? `The files have ${formatCount(added)} new ids. If the ids have changed with the layout, ` +
        "add --accept-shrink --remove-missing-now"
      : "If a file is truncated or left out, load all files of the source together; if the records no longer exist, add --accept-shrink"
  throw new LoadError(
    `Nothing was published: ${formatCount(missing)} of the ${formatCount(stored)} ${active}${table} ` +
      `of the source ${source} (${share}%) are missing from the files${atOnce ? ` and would be ${effect}` : ", and were not before"}. ` +
      `Among them are ${namesOf(largest)}. ${cure}`,
  )
}

/**
 * Removes or deactivates the records that were decided on, and notes the other absent ones in place of
 * all earlier notes of the source.
 */
async function applyAbsent(
  { sql, source, resource, table, key }: Staging,
  rule: AbsenceRule,
  release: number,
): Promise<Pick<ChangeFigures, "removed" | "deactivated"> & Pick<MissingFigures, "newly">> {
  await sql.unsafe(
    `delete from missing_records m where m.source = $1 and m.resource = $2
       and not exists (select from absent a where a.key = m.key and not a.is_removed)`,
    [source, table],
  )
  await sql.unsafe(
    `insert into missing_records as m
       (source, resource, key, missing_since, last_missing_at, loads, last_files)
     select $1::text, $2::text, key, $3::timestamptz, $3::timestamptz, 1, $5::text
     from absent where not is_removed
     on conflict (source, resource, key) do update set
       loads = m.loads + 1, last_missing_at = excluded.last_missing_at,
       last_files = excluded.last_files
     where ${isFurther("excluded.last_missing_at", "$4", "excluded.last_files")}`,
    [source, table, rule.observed, ...observationOf(rule)],
  )
  const condition = `t.${key} in (select key from absent where is_removed)`
  const { deactivatesMissing } = rule.load.source
  const effect = deactivatesMissing
    ? `update ${table} t set is_active = false, ${withoutFile("$1")} where ${condition}`
    : `delete from ${table} t where ${condition}`
  const { count } = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, condition, "$1")}) ${effect}`,
    [release],
  )
  const [row] = await sql`
    select count(*)::integer as newly from absent where is_new and not is_removed`
  const [removed, deactivated] = deactivatesMissing ? [0, count] : [count, 0]
  return { removed, deactivated, newly: row?.newly }
}

async function countMissing({ sql, source, table, key }: Staging): Promise<number> {
  const [row] = await sql`
    select count(*)::integer as missing
    from missing_records m join ${sql(table)} t
      on t.${sql(key)} = m.key and t.source = m.source
    where m.source = ${source} and m.resource = ${table}`
  return row?.missing
}

/** The time from which on a load that lacks the record removes or deactivates it, as `2026-01-02T03:04:05Z`. */
export function removalTime(missingSince: string, absentAfterHours: number): string {
  return secondOf(new Date(Date.parse(missingSince) + absentAfterHours * hourMs))
}
