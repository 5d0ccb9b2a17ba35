/**
 * Parses the cells of a register. Each function returns a value, null where the register has none, or
 * `Unmapped` where the service cannot map it; a load counts that as a warning and never guesses.
 */
import type { State } from "../../data/db/schema.ts"
import { isCalendarDate } from "../../system/text/calendar-date.ts"
import { memoized } from "../../system/text/memoized.ts"
import { excerpt } from "../../system/text/printable-text.ts"

/** Why a value cannot be mapped, as the end of a sentence that begins with the field's name. */
export class Unmapped {
  constructor(readonly why: string) {}
}

export type MappedValue<T> = T | null | Unmapped

/** Texts that registers, and the programs that export them, write for a missing value. */
const emptyTexts = new Set(["", "none", "null", "<null>", "n/a"])

/** Text with blanks trimmed and collapsed; null for a missing value. */
export function writtenText(written: unknown): string | null {
  if (typeof written !== "string" && typeof written !== "number") return null
  const text = String(written).replace(/\s+/g, " ").trim()
  return emptyTexts.has(text.toLowerCase()) ? null : text
}

/** The time zone of each state, in which a point in time becomes a calendar date. */
const timeZones: Readonly<Record<State, string>> = {
  WA: "Australia/Perth",
  NT: "Australia/Darwin",
  SA: "Australia/Adelaide",
  QLD: "Australia/Brisbane",
  NSW: "Australia/Sydney",
  VIC: "Australia/Melbourne",
  TAS: "Australia/Hobart",
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const dayForms = [
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
  /^(?<day>\d{1,2})[/.-](?<month>\d{1,2})[/.-](?<year>\d{4})(?:[ T,].*)?$/,
  /^(?<day>\d{1,2})[ -](?<month>[a-z]{3})[ -](?<year>\d{4})$/i,
  /^(?<year>\d{4})[/-](?<month>\d{1,2})[/-](?<day>\d{1,2})(?:[ T](?<clock>.*)|Z|[+-]\d\d:?\d\d)?$/,
]
const milliseconds = /^-?\d{9,15}(?:\.0+)?$/
const zoned = /^(\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)\s?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/i

/**
 * The calendar date, as YYYY-MM-DD, that a register means, in whichever format it was exported:
 *
 * - `2014/05/28 08:00:00.000`, `2014-05-28`, `28/05/2014`, `28 May 2014`, `20140528`: the date as
 *   written; a time without a time zone is local.
 * - `2014-05-28T01:30:00Z`, `2014/05/28 00:00:01+00`, milliseconds since 1970: a point in time, and
 *   its date in the state. An export writes a date as midnight or noon, of the state or of UTC; in
 *   Australia, 8 to 11 hours ahead, the state's date is the one meant in each case. Only the last
 *   second of a UTC day is in the next morning; it means the day that it ends.
 *
 * Dates such as 2999-12-31 and 1899-12-30 mean that there is none.
 */
export function dateOf(written: unknown, state: State): MappedValue<string> {
  const text = writtenText(written)
  if (text === null) return null
  if (milliseconds.test(text)) return dayOfInstant(Number(text), state, text)
  let parts: Readonly<Record<string, string>> | undefined
  for (const form of dayForms) parts ??= form.exec(text)?.groups
  if (!parts) return unmappedDate(text)
  const { year, month = "", clock = "" } = parts
  const named = months.indexOf(month.toLowerCase()) + 1
  const day = dayOf(year, named > 0 ? String(named) : month, parts.day, text)
  const time = zoned.exec(clock)
  if (!time || typeof day !== "string") return day
  return dayOfInstant(Date.parse(`${day}T${timeOf(time[1])}${offset(time[2])}`), state, text)
}

function dayOfInstant(ms: number, state: State, text: string): MappedValue<string> {
  if (!Number.isFinite(ms) || Math.abs(ms) > 8e15) return unmappedDate(text)
  const secondOfDay = Math.floor(ms / 1000) - Math.floor(ms / 86_400_000) * 86_400
  const day =
    secondOfDay === 86_399 ? new Date(ms).toISOString().slice(0, 10) : dayFormatOf(state).format(ms)
  const [year, month, date] = day.split("-")
  return dayOf(year, month, date, text)
}

/** The locale en-CA writes YYYY-MM-DD. */
const dayFormatOf = memoized(
  (state: State) => new Intl.DateTimeFormat("en-CA", { timeZone: timeZones[state] }),
)

/** No tenement was granted before or expires after these years; dates beyond them mean none. */
const earliestYear = 1800
const latestYear = 2500
/** Day 0 of spreadsheets and of Windows. */
const zeroDay = "1899-12-30"

function dayOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  text: string,
): MappedValue<string> {
  const date = `${year?.padStart(4, "0")}-${month?.padStart(2, "0")}-${day?.padStart(2, "0")}`
  if (!isCalendarDate(date)) return unmappedDate(text)
  const isNone = date === zeroDay || Number(year) < earliestYear || Number(year) > latestYear
  return isNone ? null : date
}

const timeOf = (time = "") => {
  const padded = time.replace(/^(\d):/, "0$1:").replace(",", ".")
  return padded.length === 5 ? `${padded}:00` : padded
}

const offset = (zone = "") =>
  /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}` : "Z"

const unmappedDate = (text: string) =>
  new Unmapped(`is not a date in a known format: "${excerpt(text)}"`)

/** Units and their size in square kilometres. */
const unitsKm2: readonly [unit: RegExp, km2: number][] = [
  [/^(ha|hect|hectares?)\.?$/i, 0.01],
  // A block of Tasmania is a square kilometre.
  [/^(km2|km²|sq\.? ?kms?|sq km\/blocks|km sq|square kilomet(er|re)s?)\.?$/i, 1],
  [/^(m2|m²|sq\.? ?m|square met(er|re)s?)\.?$/i, 0.000001],
]
const inexactUnits = /^(bl|blocks?|sub-?blocks?|sbks|units?|graticular (sections?|blocks?))\.?$/i

/** A comma elsewhere than between thousands, such as a decimal one. */
const hasOddComma = /,(?!\d{3}(?:\D|$))|^-?(?:\d{4,}|0\d*)?,|\..*,/

/**
 * Square kilometres. The unit is in a column of its own or follows the amount (`17.7 HA`).
 * Registers write zero where they have no area. A block has no exact area: it is narrower further
 * south.
 */
export function areaOf(cell: unknown, unitWritten: unknown = null): MappedValue<number> {
  const text = writtenText(cell)
  if (text === null) return null
  const parts = /^(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(.*)$/i.exec(text)
  const written = parts?.[1] ?? ""
  const amount = Number(written.replaceAll(",", ""))
  if (!parts || !Number.isFinite(amount) || amount < 0 || hasOddComma.test(written)) {
    return new Unmapped(`is not a number: "${excerpt(text)}"`)
  }
  if (amount === 0) return null
  const unit = parts[2] || writtenText(unitWritten)
  if (!unit) return new Unmapped("has no unit in this file")
  if (inexactUnits.test(unit)) return new Unmapped(`is in ${unit}, which have no exact area`)
  const km2 = unitsKm2.find(([pattern]) => pattern.test(unit))?.[1]
  if (km2 === undefined) return new Unmapped(`is in an unknown unit: "${excerpt(unit)}"`)
  // Digits beyond 12 are rounding errors.
  return Number((amount * km2).toPrecision(12))
}

/**
 * A reference that begins with its number, such as `7646` or `1999/00035`, after the letters of another column.
 * A label such as `EL 6709` has them itself.
 */
export function withLetters(reference: unknown, letters: unknown): string | null {
  const [written, before] = [writtenText(reference), writtenText(letters)]
  return written !== null && before !== null && /^\d/.test(written)
    ? `${before} ${written}`
    : written
}

/**
 * A reference as this service writes it: in upper case and without the blank between letters and number.
 * Registers write `E 47/1234` and `e47/1234` for `E47/1234`.
 */
export const shownReference = (reference: string): string =>
  reference
    .trim()
    .replace(/(?<=\p{L})\s+(?=\d)/gu, "")
    .toUpperCase()

/**
 * An id from the state and the whole reference: `E 47/1234` of WA is `WA-E47-1234`. It contains
 * only what is safe in a path, and never depends on the file or the row. Where two references have
 * one id, the loader rejects the second.
 */
export function tenementIdOf(state: State, reference: string): string {
  const plain = shownReference(reference)
    .replace(/[^A-Z0-9._~]+/g, "-")
    .replace(/^-|-$/g, "")
  return `${state}-${plain}`
}
