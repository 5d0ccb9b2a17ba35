/**
 * Caches whole responses by release and query. A release never changes, so entries do not expire; the
 * budget in bytes limits them. Authentication and the rate limit come before the cache.
 *
 * The cache is a segmented LRU: its second hit moves a response to the larger part of the budget. So a
 * client that pages through a whole list evicts no response that other clients request repeatedly.
 */
import { type CacheReadings, type CacheSizes, createCache } from "../db/cache.ts"
import { type Release, releaseKey } from "../db/reader/releases.ts"
import type { Content } from "./represent.ts"

export type CachedAnswers = ReturnType<typeof createCachedAnswers>

/** The part of the budget for responses without a hit. */
const onceShare = 0.25

/** The memory of its headers. */
const headersBytes = 2_000

/** Includes the coded bodies, which are made later and take about a fifth each. */
const bytesOf = ({ body }: Content): number => headersBytes + Math.ceil(body.bytes.length * 1.5)

/** `query` identifies a query and a format, as `ListPlan.answerKey` does. */
export function createCachedAnswers({ answers: maxBytes }: Pick<CacheSizes, "answers">) {
  const once = createCache<Content>(Math.floor(maxBytes * onceShare), bytesOf)
  const again = createCache<Content>(Math.floor(maxBytes * (1 - onceShare)), bytesOf)
  const lookups = { hit: 0, miss: 0 }
  const keyOf = (release: Release, query: string): string => `${releaseKey(release)} ${query}`

  function find(key: string): Content | undefined {
    const answer = again.get(key)
    if (answer) return answer
    const first = once.get(key)
    if (!first) return undefined
    once.delete(key)
    again.set(key, first)
    return first
  }

  return {
    get: (release: Release, query: string): Content | undefined => {
      const answer = find(keyOf(release, query))
      lookups[answer ? "hit" : "miss"]++
      return answer
    },
    /** Caches the result of `make`. Concurrent requests that missed share one result. */
    share: (release: Release, query: string, make: () => Content): Content => {
      const key = keyOf(release, query)
      const shared = again.peek(key) ?? once.peek(key)
      if (shared) return shared
      const answer = make()
      once.set(key, answer)
      return answer
    },
    readings: () => {
      const parts = [once.readings(), again.readings()]
      const sumOf = (name: keyof CacheReadings) => parts.reduce((sum, part) => sum + part[name], 0)
      return {
        lookups,
        entries: sumOf("entries"),
        bytes: sumOf("bytes"),
        evicted: sumOf("evicted"),
      }
    },
  }
}
