/**
 * The time at which the files of a load were true. Absence is counted in this time, and of two loads of a
 * source the one of later files decides.
 */
import type { Sql, TransactionSql } from "postgres"
import { utc } from "../../data/db/utc.ts"
import { daysAfter, isCalendarDate } from "../../system/text/calendar-date.ts"
import type { Source } from "../sources/source.ts"
import { readInstant } from "./field-values.ts"
import type { FileFigures, Manifest } from "./figures.ts"
import { LoadError } from "./load-error.ts"
import type { Load } from "./load-options.ts"

/** The last load and the last fetches of a source. */
export interface LastLoad {
  /** When the load's transaction began, by the database's clock. All times are as `2026-01-02T03:04:05Z`. */
  now: string
  /** Null where the source has not been loaded. */
  observed: string | null
  /** Whether that was given or stated, not assumed; null where it has not been loaded. */
  isKnown: boolean | null
  /** Digests of its files, sorted; null where it has not been loaded. */
  files: string[] | null
  /** When the last fetch with an outcome began, and the last one that received all files. */
  attempted: string | null
  fetched: string | null
}

/**
 * Reads a date, which is its beginning in UTC, or a date-time with a time zone.
 * @throws LoadError where the text is neither
 */
export function observedOf(text: string): string {
  const read = isCalendarDate(text) ? `${text}T00:00:00Z` : readInstant(text)
  if (typeof read === "string") return read
  throw new LoadError(
    `Cannot load files of "${text}": give a date as 2026-01-02, or a date-time with its zone as 2026-01-02T03:04:05Z`,
  )
}

export async function lastLoad(
  sql: Sql | TransactionSql,
  { name, resource }: Source,
): Promise<LastLoad> {
  const [row] = await sql.unsafe<[LastLoad]>(
    `select ${utc("date_trunc('second', now())")} as now, ${utc("last_observed_at")} as observed,
       last_observed_is_known as "isKnown",
       array_to_json(last_files) as files,
       ${utc("last_attempted_at")} as attempted, ${utc("last_fetched_at")} as fetched
     from (values ($1, $2)) as given (name, resource) left join sources using (name, resource)`,
    [name, resource.name],
  )
  return row
}

/** How far the clock of a program that fetches files may be ahead of the database's. */
const maxClockSkewMs = 5 * 60_000

/**
 * Files of an assumed time may be loaded again for their earlier one.
 * @param isSame whether the files are those of the last load; until they are read, they may be
 * @throws LoadError where files of that time would put older values over newer ones
 */
export function checkObserved(
  given: string | undefined,
  { now, observed, isKnown }: LastLoad,
  source: string,
  isSame = true,
): void {
  if (given === undefined) return
  if (Date.parse(given) > Date.parse(now) + maxClockSkewMs) {
    throw new LoadError(
      `Cannot load files of ${given}: this time is in the future (it is now ${now}; a date is its beginning in UTC)`,
      { finding: `the time of the files is in the future (${given})` },
    )
  }
  if (observed !== null && given < observed && !(isSame && isKnown === false)) {
    throw new LoadError(
      `Cannot load files of ${given}: ${newerFilesText(source, observed, isKnown)}`,
      { finding: `the files are of ${given}, before those of the last load (${observed})` },
    )
  }
}

/** Why a source takes no files of an earlier time than `observed`, and what to do. */
export const newerFilesText = (source: string, observed: string, isKnown: boolean | null): string =>
  `${source} has been loaded from files of ${observed}, and older values would replace newer ones. Load files in the order of their times` +
  (isKnown
    ? ""
    : `. That time was assumed, since its load had no --observed: if these files are newer, load them with --observed ${observed}`)

/** When the files of a load were true. */
export interface Observed {
  time: string
  /** Whether the operator gives or a file states it; otherwise it is the time of the load. */
  isKnown: boolean
}

/**
 * The time that the operator gives, or the latest date that a file states, else now. The same bytes as last
 * time are the same download, so they keep its time. An operator's own files are true now.
 * @throws what `checkObserved` throws
 */
export function observedTime(
  { observed: given, source }: Load,
  last: LastLoad,
  files: readonly FileFigures[],
): Observed {
  const stated = files
    .flatMap((file) => file.stated ?? [])
    .sort()
    .at(-1)
  const { now, observed, isKnown } = last
  // In Australia the stated day begins before that of UTC.
  const isTomorrow = stated === daysAfter(now.slice(0, 10), 1)
  const known = given ?? (isTomorrow ? now : stated && observedOf(stated))
  const isSame = last.files?.join() === digestsOf(files).join()
  checkObserved(known, last, source.name, isSame)
  if (known !== undefined) return { time: known, isKnown: true }
  // The time of an earlier load may be ahead of this clock: time never decreases.
  const time = observed !== null && (isSame || observed > now) ? observed : now
  return { time, isKnown: source.removesMissingAtOnce === true || (isSame && isKnown === true) }
}

const dayInName = /(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)/

/** Lines about a time that is not known. */
export function assumedTime({ files, observed }: Pick<Manifest, "files" | "observed">): string[] {
  const older = files.flatMap(({ name }) => {
    const [, year, , month, date] = dayInName.exec(name) ?? []
    const day = `${year}-${month}-${date}`
    return isCalendarDate(day) && day < observed.slice(0, 10) ? [{ name, day }] : []
  })
  const warnings = older
    .slice(0, maxWarned)
    .map(({ name, day }) => `warning: ${name} names an older day: load it with --observed ${day}`)
  return [
    `data as of ${observed}, assumed: give the time of the files with --observed`,
    ...warnings,
  ]
}

/** Of many files with an older day, the first ones tell enough. */
const maxWarned = 3

/** The digests of a load's files, sorted. */
export const digestsOf = (
  files: readonly { sha256: string; sha256_beside?: readonly string[] }[],
): string[] =>
  [...new Set(files.flatMap(({ sha256, sha256_beside = [] }) => [sha256, ...sha256_beside]))].sort()
