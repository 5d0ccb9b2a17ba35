/**
 * A point in the history of the data, the value of `as_of`, `updated_since` and `removed_since`: the number
 * of a release, a day (its end, UTC) or a date-time with its zone.
 */
import { isCalendarDate } from "../../system/text/calendar-date.ts"

export type PointInTime =
  | { kind: "release"; id: number }
  /** Its beginning, in Unix milliseconds, and its last second, in Unix seconds. */
  | { kind: "day" | "moment"; fromMs: number; untilSeconds: number }

export const pointInTimePattern =
  "^(0|[1-9]\\d{0,8}|\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?)$"
const notations = new RegExp(pointInTimePattern)

const daySeconds = 24 * 60 * 60

/** Returns null if the text is not a point in time. */
export function parsePointInTime(text: string): PointInTime | null {
  if (!notations.test(text)) return null
  if (!text.includes("-")) return { kind: "release", id: Number(text) }
  const day = text.slice(0, 10)
  const fromMs = Date.parse(text)
  if (!isCalendarDate(day) || Number.isNaN(fromMs)) return null
  const firstSecond = Math.floor(fromMs / 1000)
  return text === day
    ? { kind: "day", fromMs, untilSeconds: firstSecond + daySeconds - 1 }
    : { kind: "moment", fromMs, untilSeconds: firstSecond }
}

/** A release is committed a moment after the second that dates it. */
const settledSeconds = 2

/**
 * Returns why the point names no release yet; undefined if it names one. A moment always names the same
 * release, a day that has not ended its newest so far.
 */
export function pointFault(point: PointInTime, nowMs: number): string | undefined {
  if (point.kind === "release") return undefined
  if (point.fromMs > nowMs) return "Must not be in the future"
  return point.kind === "moment" && nowMs - point.fromMs < settledSeconds * 1000
    ? `Must be at least ${settledSeconds} seconds ago: wait, or send a release number`
    : undefined
}
