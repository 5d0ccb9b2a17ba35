import type { FetchTimes } from "../loading/fetch-record.ts"
import { hourMs } from "../text/durations.ts"

/** A failed fetch is not repeated for so long. */
const hoursAfterFailure = 1

/**
 * How much earlier than that a completed fetch may be repeated, half an hour of a day: what is started at
 * the same time every day begins a little earlier or later, and fetches one source after the other.
 */
const leewayOf = (everyHours: number) => Math.min(everyHours, 24) / 48

/** From when on the source may be fetched; null for now. */
export function dueAt(
  { attempted, fetched }: FetchTimes,
  everyHours: number,
  now: Date,
): Date | null {
  const after = (time: string | null, hours: number) =>
    time === null ? 0 : Date.parse(time) + hours * hourMs
  const due = Math.max(
    after(fetched, everyHours - leewayOf(everyHours)),
    after(attempted, Math.min(everyHours, hoursAfterFailure)),
  )
  return due > now.getTime() ? new Date(due) : null
}
