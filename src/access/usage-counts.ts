/** Counts of requests in memory, by account, token and clock hour (UTC). */
import { dayMs, hourMs } from "../text/durations.ts"

/** Requests by the beginning of the period in which they were admitted, ms since 1970. */
export type Hours = Map<number, number>

export interface CountOfToken {
  accountId: number
  /** 0 for what was asked for without a token. */
  tokenId: number
  hourMs: number
  requests: number
}

type HoursOfTokens = Map<number, Hours>

export interface Counts {
  add(count: CountOfToken): void
  /** The counts of one account. */
  of(accountId: number): CountOfToken[]
  /** The requests of one account in one hour. */
  inHour(accountId: number, startMs: number): number
  all(): CountOfToken[]
  /** Forgets the hours that begin before this. */
  dropBefore(firstMs: number): void
  sum(): number
}

export function createCounts(): Counts {
  const accounts = new Map<number, HoursOfTokens>()

  function add({ accountId, tokenId, hourMs, requests }: CountOfToken): void {
    const tokens = mapIn(accounts, accountId)
    const hours = mapIn(tokens, tokenId)
    addTo(hours, hourMs, requests)
    if (hours.size === 0) tokens.delete(tokenId)
    if (tokens.size === 0) accounts.delete(accountId)
  }

  const countsOf = (accountId: number): CountOfToken[] =>
    [...(accounts.get(accountId) ?? [])].flatMap(([tokenId, hours]) =>
      [...hours].map(([hourMs, requests]) => ({ accountId, tokenId, hourMs, requests })),
    )

  const all = (): CountOfToken[] => [...accounts.keys()].flatMap(countsOf)

  return {
    add,
    of: countsOf,
    inHour: (accountId, startMs) => {
      let sum = 0
      for (const hours of accounts.get(accountId)?.values() ?? []) sum += hours.get(startMs) ?? 0
      return sum
    },
    all,
    dropBefore: (firstMs) => {
      for (const old of all()) {
        if (old.hourMs < firstMs) add({ ...old, requests: -old.requests })
      }
    },
    sum: () => all().reduce((sum, { requests }) => sum + requests, 0),
  }
}

/** The map that another one has for a key, made where there is none. */
function mapIn<K, V>(maps: Map<K, Map<number, V>>, key: K): Map<number, V> {
  const found = maps.get(key)
  if (found) return found
  const made = new Map<number, V>()
  maps.set(key, made)
  return made
}

/** Periods without requests are left out. */
export function addTo(hours: Hours, startMs: number, requests: number): void {
  const sum = (hours.get(startMs) ?? 0) + requests
  if (sum === 0) hours.delete(startMs)
  else hours.set(startMs, sum)
}

export const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs
export const startOfDay = (ms: number): number => Math.floor(ms / dayMs) * dayMs
