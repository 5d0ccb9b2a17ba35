/**
 * Stored records that a complete set lacks. Public downloads lack records for hours, the largest
 * companies among them, so the load first notes such a record as missing and keeps its values. It
 * removes the record once every load of its source has lacked it for a time, and at least two loads of
 * files of different times have. A load that has the record deletes the note.
 *
 * Files of an operator's own, and the operator's option, remove it at once.
 */
import { missingRecords } from "../../data/db/missing-records.ts"
import { digest } from "../../system/text/digest.ts"
import { type Compared, isStored } from "./differences.ts"
import type { MissingFigures } from "./figures.ts"
import { keepInHistory, withoutFile } from "./history.ts"
import type { Load } from "./load-options.ts"
import { digestsOf, type Observed } from "./observation.ts"

export const removesAtOnce = ({ removeMissingNow, source }: Load): boolean =>
  removeMissingNow === true || source.removesMissingAtOnce === true

/** Of the missing records, in the summary. */
const maxLargest = 5

export async function applyMissing(compared: Compared, observed: Observed) {
  const { sql, source, resource, load, counts } = compared
  const atOnce = removesAtOnce(load)
  if (!atOnce) await noteMissing(compared, observed)
  const count = await removeConfirmed(compared, observed)
  const missing = await deleteNotes(compared)
  const largest = await missingRecords(sql, source, resource.name, maxLargest)
  const [removed, deactivated] = load.source.deactivatesMissing ? [0, count] : [count, 0]
  const { returned } = counts
  const figures: MissingFigures = { missing, newly: atOnce ? 0 : counts.newly, returned, largest }
  return { changes: { removed, deactivated }, figures }
}

/**
 * The same bytes are the same download, also after loads of others, unless they are known to be of another
 * time. Notes after these files are of their assumed time, which the operator corrects.
 */
async function noteMissing(
  { sql, source, table, files }: Compared,
  { time, isKnown }: Observed,
): Promise<void> {
  await sql.unsafe(
    `update missing_records set missing_since = least(missing_since, $3), last_missing_at = $3
     where source = $1 and resource = $2 and last_missing_at > $3`,
    [source, table, time],
  )
  await sql.unsafe(
    `insert into missing_records as m
       (source, resource, key, missing_since, last_missing_at, loads, last_files)
     select $1::text, $2::text, key, $3::timestamptz, $3::timestamptz, 1, $5::text
     from differences where difference = 'missing'
     on conflict (source, resource, key) do update set
       loads = m.loads + 1, last_missing_at = excluded.last_missing_at,
       last_files = excluded.last_files
     where excluded.last_missing_at > m.last_missing_at
       and ($4::boolean or m.last_files is distinct from excluded.last_files)`,
    [source, table, time, isKnown, digest(digestsOf(files).join())],
  )
}

/**
 * Removes or deactivates the missing records that at least two loads have lacked, and for long enough, or all of
 * them at once. Returns their number.
 */
async function removeConfirmed(
  { sql, source, resource, table, key, load, release, counts }: Compared,
  { time }: Observed,
): Promise<number> {
  if (counts.missing === 0) return 0
  const condition = `t.${key} in (
    select d.key from differences d
      left join missing_records m on m.source = $2 and m.resource = $3 and m.key = d.key
    where difference = 'missing' and ($4::boolean
      or m.loads >= 2 and m.missing_since <= $5::timestamptz - make_interval(hours => $6::integer)))`
  const effect = load.source.deactivatesMissing
    ? `update ${table} t set is_active = false, ${withoutFile} where ${condition}`
    : `delete from ${table} t where ${condition}`
  const { count } = await sql.unsafe(
    `with kept as (${keepInHistory(resource.table, condition)}) ${effect}`,
    [release, source, table, removesAtOnce(load), time, load.absentAfterHours],
  )
  return count
}

/** Deletes the notes of records that are no longer stored or missing. Returns how many notes remain. */
async function deleteNotes(compared: Compared): Promise<number> {
  const { sql, source, table, key, load } = compared
  await sql.unsafe(
    `delete from missing_records m where m.source = $1 and m.resource = $2 and (
       m.key in (select key from differences where difference <> 'missing')
       or not exists (select from ${table} t where t.${key} = m.key and ${isStored(load.source)}))`,
    [source, table],
  )
  const [row] = await sql`
    select count(*)::integer as missing from missing_records where source = ${source} and resource = ${table}`
  return row?.missing
}
