/** What the usage page shows of an account: the last day by hour, the last 30 days by day (UTC). */
import { dayMs, hourMs } from "../text/durations.ts"
import { addTo, type CountOfToken, type Hours, startOfDay, startOfHour } from "./usage-counts.ts"
import type { StoredPeriods, StoredUsage } from "./usage-tables.ts"

export interface Period {
  /** When it begins, ms since 1970. */
  startMs: number
  requests: number
  /** The requests among them that were made with a token marked for spreadsheets. */
  ofSpreadsheets: number
}

export interface TokenUse {
  /** Or `withoutToken`. */
  tokenId: number
  lastDay: number
  last30Days: number
}

export interface UsageOverview {
  /** 24 clock hours, ending with the current one. */
  hours: Period[]
  /** 30 days, ending with the current one. */
  days: Period[]
  /** The tokens that were used in this time, the most used first. */
  tokens: TokenUse[]
}

export const shownHours = 24
export const shownDays = 30

export const firstShownHour = (nowMs: number): number =>
  startOfHour(nowMs) - (shownHours - 1) * hourMs
export const firstShownDay = (nowMs: number): number => startOfDay(nowMs) - (shownDays - 1) * dayMs

/** @param unwritten what this process has counted and not yet added to what is stored */
export function usageOverview(
  stored: StoredUsage,
  unwritten: readonly CountOfToken[],
  nowMs: number,
): UsageOverview {
  const { spreadsheetTokens } = stored
  const hours = total(stored.hours, unwritten, {
    first: firstShownHour(nowMs),
    spreadsheetTokens,
    startOf: startOfHour,
  })
  const days = total(stored.days, unwritten, {
    first: firstShownDay(nowMs),
    spreadsheetTokens,
    startOf: startOfDay,
  })
  return {
    hours: periods(hours, firstShownHour(nowMs), { count: shownHours, lengthMs: hourMs }),
    days: periods(days, firstShownDay(nowMs), { count: shownDays, lengthMs: dayMs }),
    tokens: tokenUses(hours.byToken, days.byToken),
  }
}

interface PeriodKind {
  first: number
  spreadsheetTokens: ReadonlySet<number>
  startOf: (ms: number) => number
}

/** What is stored, and what is not yet. */
function total(
  stored: StoredPeriods,
  unwritten: readonly CountOfToken[],
  { first, spreadsheetTokens, startOf }: PeriodKind,
): StoredPeriods {
  const requests: Hours = new Map(stored.requests)
  const ofSpreadsheets: Hours = new Map(stored.ofSpreadsheets)
  const byToken = new Map(stored.byToken)
  for (const { tokenId, hourMs, requests: added } of unwritten) {
    const startMs = startOf(hourMs)
    if (startMs < first) continue
    addTo(requests, startMs, added)
    if (spreadsheetTokens.has(tokenId)) addTo(ofSpreadsheets, startMs, added)
    addTo(byToken, tokenId, added)
  }
  return { requests, ofSpreadsheets, byToken }
}

const periods = (
  { requests, ofSpreadsheets }: StoredPeriods,
  firstMs: number,
  { count, lengthMs }: { count: number; lengthMs: number },
): Period[] =>
  Array.from({ length: count }, (_, index) => {
    const startMs = firstMs + index * lengthMs
    return {
      startMs,
      requests: requests.get(startMs) ?? 0,
      ofSpreadsheets: ofSpreadsheets.get(startMs) ?? 0,
    }
  })

const tokenUses = (lastDay: Map<number, number>, last30Days: Map<number, number>): TokenUse[] =>
  [...new Set([...last30Days.keys(), ...lastDay.keys()])]
    .map((tokenId) => ({
      tokenId,
      lastDay: lastDay.get(tokenId) ?? 0,
      last30Days: last30Days.get(tokenId) ?? 0,
    }))
    .sort((a, b) => b.last30Days - a.last30Days || a.tokenId - b.tokenId)
