/** What the usage page shows of an account: the last day by hour, the last 30 days by day (UTC). */
import { dayMs, hourMs } from "../text/durations.ts"
import type { CountOfToken, Period, TokenUse } from "./usage-rows.ts"

export interface UsageOverview {
  /** 24 clock hours, ending with the current one. */
  hours: Period[]
  /** 30 days, ending with the current one. */
  days: Period[]
  /** The tokens that were used in this time, the most used first. */
  tokens: TokenUse[]
}

export interface StoredUsage {
  hours: readonly Period[]
  tokens: readonly TokenUse[]
  /** The tokens that are marked for spreadsheets. */
  spreadsheetTokens: ReadonlySet<number>
}

const shownHours = 24
const shownDays = 30

export const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs

export const firstShownHour = (nowMs: number): number =>
  startOfHour(nowMs) - (shownHours - 1) * hourMs

export const firstShownDay = (nowMs: number): number =>
  Math.floor(nowMs / dayMs) * dayMs - (shownDays - 1) * dayMs

/** @param unwritten what this process has counted and not yet added to what is stored */
export function usageOverview(
  { hours, tokens, spreadsheetTokens }: StoredUsage,
  unwritten: readonly CountOfToken[],
  nowMs: number,
): UsageOverview {
  const all = [
    ...hours,
    ...unwritten.map(({ tokenId, hourMs, requests }) => ({
      startMs: hourMs,
      requests,
      ofSpreadsheets: spreadsheetTokens.has(tokenId) ? requests : 0,
    })),
  ]
  const [firstHourMs, firstDayMs] = [firstShownHour(nowMs), firstShownDay(nowMs)]
  const recent = unwritten.filter(({ hourMs }) => hourMs >= firstDayMs)
  const uses = [
    ...tokens,
    ...recent.map(({ tokenId, hourMs, requests }) => ({
      tokenId,
      lastDay: hourMs >= firstHourMs ? requests : 0,
      last30Days: requests,
    })),
  ]
  return {
    hours: periods(all, firstHourMs, { count: shownHours, lengthMs: hourMs }),
    days: periods(all, firstDayMs, { count: shownDays, lengthMs: dayMs }),
    tokens: [...Map.groupBy(uses, ({ tokenId }) => tokenId)]
      .map(([tokenId, each]) => ({
        tokenId,
        lastDay: each.reduce((sum, { lastDay }) => sum + lastDay, 0),
        last30Days: each.reduce((sum, { last30Days }) => sum + last30Days, 0),
      }))
      .sort((a, b) => b.last30Days - a.last30Days || a.tokenId - b.tokenId),
  }
}

function periods(
  counted: readonly Period[],
  firstMs: number,
  { count, lengthMs }: { count: number; lengthMs: number },
): Period[] {
  const sums = Array.from({ length: count }, (_, index) => ({
    startMs: firstMs + index * lengthMs,
    requests: 0,
    ofSpreadsheets: 0,
  }))
  for (const { startMs, requests, ofSpreadsheets } of counted) {
    const sum = sums[Math.floor((startMs - firstMs) / lengthMs)]
    if (!sum) continue
    sum.requests += requests
    sum.ofSpreadsheets += ofSpreadsheets
  }
  return sums
}
