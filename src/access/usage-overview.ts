/** The usage of an account for its page: the last day by hour, the last 30 days by day (UTC). */
import { dayMs, hourMs } from "../text/durations.ts"
import type { Count } from "./usage-rows.ts"

export interface Period {
  /** The beginning of the hour or day, ms since 1970. */
  startMs: number
  requests: number
  /** Of these, requests with a token marked for spreadsheets. */
  ofSpreadsheets: number
}

const shownHours = 24
const shownDays = 30

export const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs

export const firstShownHour = (nowMs: number): number =>
  startOfHour(nowMs) - (shownHours - 1) * hourMs

export const firstShownDay = (nowMs: number): number =>
  Math.floor(nowMs / dayMs) * dayMs - (shownDays - 1) * dayMs

export function usageOverview(counts: readonly Count[], nowMs: number) {
  const firstDayMs = firstShownDay(nowMs)
  const shown = counts.filter(({ startMs }) => startMs >= firstDayMs)
  return {
    hours: lastHours(shown, nowMs),
    /** 30 days, ending with the current one. */
    days: periods(shown, firstDayMs, { count: shownDays, lengthMs: dayMs }),
    /** The tokens with requests in this time, the most used first; one may be `withoutToken`. */
    tokens: [...Map.groupBy(shown, ({ tokenId }) => tokenId)]
      .map(([tokenId, ofToken]) => ({
        tokenId,
        lastDay: sum(ofToken.filter(({ startMs }) => startMs >= firstShownHour(nowMs))),
        last30Days: sum(ofToken),
      }))
      .sort((a, b) => b.last30Days - a.last30Days || a.tokenId - b.tokenId),
  }
}

/** 24 clock hours, ending with the current one. */
export const lastHours = (counts: readonly Count[], nowMs: number): Period[] =>
  periods(counts, firstShownHour(nowMs), { count: shownHours, lengthMs: hourMs })

function periods(
  counts: readonly Count[],
  firstMs: number,
  { count, lengthMs }: { count: number; lengthMs: number },
): Period[] {
  const all = Array.from({ length: count }, (_, index) => ({
    startMs: firstMs + index * lengthMs,
    requests: 0,
    ofSpreadsheets: 0,
  }))
  for (const { startMs, requests, forSpreadsheets } of counts) {
    const period = all[Math.floor((startMs - firstMs) / lengthMs)]
    if (!period) continue
    period.requests += requests
    if (forSpreadsheets) period.ofSpreadsheets += requests
  }
  return all
}

const sum = (counts: readonly Count[]): number =>
  counts.reduce((all, { requests }) => all + requests, 0)
