/**
 * Stored records that a complete set lacks. Public downloads lack records for hours, the largest
 * companies among them, so the load first notes such a record as missing and keeps its values. It
 * removes the record once every load of its source has lacked it for a time, and at least two loads of
 * files of different times have. A load that has the record deletes the note.
 *
 * Files of an operator's own, and the operator's option, remove it at once.
 */

import { largestRecords, missingRecords, namesOf } from "../../data/db/missing-records.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { digest } from "../../system/text/digest.ts"
import { countOf, formatCount } from "../../system/text/display.ts"
import { hourMs, secondOf } from "../../system/text/time.ts"
import type { Source } from "../sources/source.ts"
import { minSuspect } from "./emptied.ts"
import type { ChangeFigures, MissingFigures } from "./figures.ts"
import { keepInHistory, withoutFile } from "./history.ts"
import { refused } from "./load-error.ts"
import type { Load } from "./load-options.ts"
import { digestsOf, type Observed } from "./observation.ts"
import type { Staging } from "./staging.ts"

/** What an absence in the files of a load shows. */
interface AbsenceRule {
  /** Whether the files are their source's complete set, and the load has read all of it. */
  isWhole: boolean
  observed: Observed
}

const removesAtOnce = ({ removeMissingNow, source }: Load): boolean =>
  removeMissingNow === true || source.removesMissingAtOnce === true

interface Missing extends Pick<ChangeFigures, "removed" | "deactivated"> {
  figures: MissingFigures
}

/** Of the missing records, in the summary. */
const maxLargest = 5

/** @throws LoadError where too many records are missing: see `guardAgainstShrinking` */
export async function applyMissing(
  staging: Staging,
  { isWhole, observed }: AbsenceRule,
): Promise<Missing> {
  const newly = isWhole ? await noteAbsent(staging, observed) : 0
  const count = isWhole ? await removeConfirmed(staging, observed) : 0
  const returned = await deleteNotes(staging)
  const missing = await countMissing(staging)
  const { sql, source, resource, load } = staging
  const largest = await missingRecords(sql, source, resource.name, maxLargest)
  const [removed, deactivated] = load.source.deactivatesMissing ? [0, count] : [count, 0]
  const figures = { missing, newly, returned, largest }
  return { removed, deactivated, figures }
}

/** An inactive record is not missing again. */
const isStored = ({ deactivatesMissing }: Source): string =>
  `t.source = $1${deactivatesMissing ? " and t.is_active" : ""}`

/** Whether the files would have the record, if its source still had it. */
const isCovered = ({ staged }: Staging, { completeBy }: Source): string =>
  completeBy === undefined ? "true" : `t.${completeBy} in (select s.${completeBy} from ${staged} s)`

/**
 * Collects the records that no file has in a temporary table, and notes them unless they are removed at once.
 * The same bytes are the same download, also after loads of others, unless they are known to be of another
 * time. Returns how many records had no note.
 */
async function noteAbsent(staging: Staging, { time, isKnown }: Observed): Promise<number> {
  const { sql, source, staged, table, key, load, files, rejectedKeys } = staging
  await sql.unsafe(
    'create temporary table absent (key text collate "C", is_new boolean) on commit drop',
  )
  await sql.unsafe(
    `insert into absent
     select t.${key}, m.key is null
     from ${table} t
       left join missing_records m on m.source = $1 and m.resource = $2 and m.key = t.${key}
     where ${isStored(load.source)}
       and not exists (select from ${staged} s where s.${key} = t.${key})
       and ${isCovered(staging, load.source)}
       and not exists (select from unnest($3::text[]) as rejected (key) where rejected.key = t.${key})`,
    [source, table, arrayLiteral(rejectedKeys)],
  )
  await sql.unsafe("analyze absent")
  if (!load.acceptShrink) await guardAgainstShrinking(staging)
  if (removesAtOnce(load)) return 0
  await sql.unsafe(
    `insert into missing_records as m
       (source, resource, key, missing_since, last_missing_at, loads, last_files)
     select $1::text, $2::text, key, $3::timestamptz, $3::timestamptz, 1, $5::text from absent
     on conflict (source, resource, key) do update set
       loads = m.loads + 1, last_missing_at = excluded.last_missing_at,
       last_files = excluded.last_files
     where excluded.last_missing_at > m.last_missing_at
       and ($4::boolean or m.last_files is distinct from excluded.last_files)`,
    [source, table, time, isKnown, digest(digestsOf(files).join())],
  )
  const [row] = await sql`select count(*)::integer as newly from absent where is_new`
  return row?.newly
}

const maxMissingShare = 0.05
/** Of the missing records, in the message. */
const maxNamed = 3
/** Of the missing records: as many new ones show that the files have the records under other ids. */
const minRenamedShare = 0.5

/**
 * The guard against a truncated download: a complete set that lacks `minSuspect` and more than a twentieth of
 * its source's records is more often half a file than a true one. A record counts once: in the load that
 * lacks it first or, where missing records are removed at once, in the load that would remove it. So
 * records that are already missing do not stop the loads that follow.
 */
async function guardAgainstShrinking(staging: Staging): Promise<void> {
  const { sql, source, staged, table, key, load, files } = staging
  const atOnce = removesAtOnce(load)
  const [{ stored, missing, accepted, added, earlier }] = await sql.unsafe<
    [Record<"stored" | "missing" | "accepted" | "added" | "earlier", number>]
  >(
    `select count(*) filter (where is_new or $2::boolean)::integer as missing,
       (select count(*)::integer from ${table} t where ${isStored(load.source)}) as stored,
       (select count(*)::integer from ${staged}) as accepted,
       (select count(*)::integer from ${staged} s
        where not exists (select from ${table} t where t.${key} = s.${key})) as added,
       (select coalesce((counts->>'files')::integer, 0) from sources
        where name = $1 and resource = $3) as earlier
     from absent`,
    [source, atOnce, table],
  )
  if (missing < minSuspect || missing <= stored * maxMissingShare) return
  const share = ((100 * missing) / stored).toFixed(1)
  const { deactivatesMissing } = load.source
  const active = deactivatesMissing ? "active " : ""
  const effect = deactivatesMissing ? "deactivated" : "removed"
  const keys = `select key from absent${atOnce ? "" : " where is_new"}`
  const largest = await largestRecords(sql, staging.resource.name, keys, maxNamed)
  const cure =
    earlier > files.length
      ? `The last load of this source had ${countOf(earlier, "file")}, and this one has ${formatCount(files.length)}: load all ` +
        "of them together, or with --partial. If the records no longer exist, add --accept-shrink"
      : load.source.state && added >= missing * minRenamedShare
        ? (added === accepted
            ? "No id in the files is stored: the ids have changed with the layout. To replace the tenements, "
            : `The files have ${formatCount(added)} new ids. If the ids have changed with the layout, `) +
          "add --accept-shrink --remove-missing-now; if they are another part of the source, add --partial"
        : "If a file is truncated or left out, load all files of the source together, or these with --partial; " +
          "if the records no longer exist, add --accept-shrink"
  throw refused(
    `${formatCount(missing)} of the ${formatCount(stored)} ${active}${table} ` +
      `of the source ${source} (${share}%) are missing from the files${atOnce ? ` and would be ${effect}` : ", and were not before"}`,
    `. Among them are ${namesOf(largest)}. ${cure}`,
  )
}

/**
 * Removes or deactivates the absent records that at least two loads have lacked, and for long enough, or all of
 * them at once. Returns their number.
 */
async function removeConfirmed(
  { sql, source, resource, table, key, load, release }: Staging,
  { time }: Observed,
): Promise<number> {
  const condition = `t.${key} in (
    select a.key from absent a
      left join missing_records m on m.source = $2 and m.resource = $3 and m.key = a.key
    where $4::boolean
      or m.loads >= 2 and m.missing_since <= $5::timestamptz - make_interval(hours => $6::integer))`
  const effect = load.source.deactivatesMissing
    ? `update ${table} t set is_active = false, ${withoutFile("$1")} where ${condition}`
    : `delete from ${table} t where ${condition}`
  const { count } = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, condition, "$1")}) ${effect}`,
    [release, source, table, removesAtOnce(load), time, load.absentAfterHours],
  )
  return count
}

/**
 * Deletes the notes of records that are no longer stored, or that have a row again, also a rejected one. Returns
 * the number of the latter.
 */
async function deleteNotes(staging: Staging): Promise<number> {
  const { sql, source, staged, table, key, load, rejectedKeys } = staging
  const rows = await sql.unsafe<{ is_stored: boolean }[]>(
    `with notes as (
       select m.key, exists (
         select from ${table} t where t.${key} = m.key and ${isStored(load.source)}) as is_stored
       from missing_records m where source = $1 and resource = $2
     )
     delete from missing_records m using notes
     where m.source = $1 and m.resource = $2 and m.key = notes.key and (not is_stored
       or m.key = any($3::text[]) or exists (select from ${staged} s where s.${key} = m.key))
     returning is_stored`,
    [source, table, arrayLiteral(rejectedKeys)],
  )
  return rows.filter((row) => row.is_stored).length
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
