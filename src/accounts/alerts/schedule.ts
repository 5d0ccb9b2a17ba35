/** When watches are due: days and mornings in Sydney, and the times between attempts. */
import { daysAfter } from "../../system/text/calendar-date.ts"
import {
  hourMs,
  localTime,
  minuteMs,
  secondOf,
  startOfDay,
  sydney,
} from "../../system/text/time.ts"
import type { Channel, Subject } from "./watch.ts"

export const sydneyDay = (now: Date): string => localTime(secondOf(now), sydney).slice(0, 10)

const atSydney = (day: string, time: string): Date =>
  new Date(startOfDay(`${day}T${time}Z`, sydney) * 1000)

const isMonday = (day: string): boolean => new Date(day).getUTCDay() === 1

const isAtOnce = (channel: Channel): boolean =>
  channel.kind === "webhook" || channel.when === "at-once"

/** When to look for what is new, after now; null for a watch that looks only at each release. */
export function nextLook({ kind }: Subject, channel: Channel, now: Date): Date | null {
  const today = sydneyDay(now)
  if (isAtOnce(channel)) return kind === "expiry" ? atSydney(daysAfter(today, 1), "00:00") : null
  const isWeekly = channel.kind === "mail" && channel.when === "weekly"
  const mornings = Array.from({ length: 8 }, (_, ahead) => daysAfter(today, ahead))
    .filter((day) => !isWeekly || isMonday(day))
    .map((day) => atSydney(day, "07:00"))
  return mornings.find((morning) => morning > now) ?? null
}

/** The same for a new watch, or after a delivery: days may have passed since the last look for expiry dates. */
export const firstLook = (subject: Subject, channel: Channel, now: Date): Date | null =>
  subject.kind === "expiry" && isAtOnce(channel) ? now : nextLook(subject, channel, now)

const retryDelaysMs = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
]

/**
 * The time until the next attempt; undefined after the last one.
 * @param failed the number of failed attempts, from 1
 * @param retryAfterMs the wish of the receiver, at most a day, if any, which can only lengthen the time
 */
export function retryDelayMs(failed: number, retryAfterMs: number | null): number | undefined {
  const delay = retryDelaysMs[failed - 1]
  if (delay === undefined) return undefined
  // A shorter wait would use up all attempts within minutes of an outage.
  return Math.max(retryAfterMs ?? 0, delay * (0.8 + 0.4 * Math.random()))
}
