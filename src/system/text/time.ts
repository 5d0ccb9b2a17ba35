/** Lengths of time, instants as text, and the time zones in which announcements have days. */
import { memoized } from "./memoized.ts"

/** In milliseconds. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The second of an instant, as the API writes it: `2026-01-02T03:04:05Z`. */
export const secondOf = (instant: Date): string => `${instant.toISOString().slice(0, 19)}Z`

/** The zone of the exchange. */
export const sydney = "Australia/Sydney"

export const timezones = ["UTC", sydney]

const offsetFormat = memoized(
  (timeZone: string) => new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }),
)

/** The local time of a zone minus UTC. */
function offsetMs(atMs: number, timezone: string): number {
  const name = offsetFormat(timezone).formatToParts(atMs)
  // GMT, GMT+11:00 or, before there were zones, GMT+10:04:52
  const written = name.find(({ type }) => type === "timeZoneName")?.value ?? ""
  const [, sign, hours, minutes, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(written) ?? []
  if (sign === undefined) return 0
  const size = 1000 * (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds))
  return sign === "-" ? -size : size
}

/** The first second of a day, or of the day so many days after it, in Unix seconds. */
export function startOfDay(day: string, timezone: string, daysAfter = 0): number {
  const midnightMs = Date.parse(day) + daysAfter * dayMs
  // Clocks change hours after midnight, so the offset some hours away from it may differ from its own.
  const nearMs = midnightMs - offsetMs(midnightMs, timezone)
  return (midnightMs - offsetMs(nearMs, timezone)) / 1000
}

/** `2026-01-02T14:04:05` in the zone, of `2026-01-02T03:04:05Z`. */
export function localTime(instant: string, timezone: string): string {
  const ms = Date.parse(instant)
  return new Date(ms + offsetMs(ms, timezone)).toISOString().slice(0, 19)
}
