/**
 * A point in the history of the data, the value of `as_of`, `updated_since` and `removed_since`: the number
 * of a release, a day (its end, UTC) or a date-time with its zone.
 */
import { isCalendarDate } from "../text/calendar-date.ts"

export type PointInTime =
  | { kind: "release"; id: number }
  /** Its first and last second, in Unix seconds. */
  | { kind: "time"; fromSeconds: number; untilSeconds: number }

export const pointInTimePattern =
  "^(0|[1-9]\\d{0,8}|\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?)$"
const notations = new RegExp(pointInTimePattern)

const daySeconds = 24 * 60 * 60

/** Returns null if the text is not a point in time. */
export function parsePointInTime(text: string): PointInTime | null {
  if (!notations.test(text)) return null
  if (!text.includes("-")) return { kind: "release", id: Number(text) }
  const day = text.slice(0, 10)
  const fromSeconds = Math.floor(Date.parse(text) / 1000)
  if (!isCalendarDate(day) || Number.isNaN(fromSeconds)) return null
  const untilSeconds = text === day ? fromSeconds + daySeconds - 1 : fromSeconds
  return { kind: "time", fromSeconds, untilSeconds }
}

/** Whether the whole point is in the future. */
export const isFuture = (point: PointInTime, nowSeconds: number): boolean =>
  point.kind === "time" && point.fromSeconds > nowSeconds
