/**
 * The day that the sample data calls today. A constant, so that the data never depends on a clock.
 */
export const referenceDate = "2026-06-30"

/** `referenceDate` in days since 1970-01-01, the unit of every date until it is written. */
export const referenceDay = Date.parse(referenceDate) / 86_400_000

const dates = new Map<number, string>()
const times: string[] = []

/** `YYYY-MM-DD`. Cached, as a million records share about thirty thousand dates. */
export function dateOf(day: number): string {
  const known = dates.get(day)
  if (known !== undefined) return known
  const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
  dates.set(day, date)
  return date
}

/** `HH:MM:SS` of a second of the day. */
export function timeOf(second: number): string {
  const known = times[second]
  if (known !== undefined) return known
  const time = new Date(second * 1000).toISOString().slice(11, 19)
  times[second] = time
  return time
}

/** The Friday before, where a day falls on a weekend. 1970-01-01 was a Thursday. */
export function weekday(day: number): number {
  const sinceMonday = (day + 3) % 7
  return sinceMonday > 4 ? day - (sinceMonday - 4) : day
}

/** Days in so many years, to the day on average. */
export function years(count: number): number {
  return Math.round(count * 365.25)
}
