/**
 * Caches whole responses by release and query. A release never changes, so entries do not expire; the
 * budget in bytes limits them. Authentication and the rate limit come before the cache.
 *
 * The cache is a segmented LRU: its second hit moves a response to the larger part of the budget. So a
 * client that pages through a whole list evicts no response that other clients request repeatedly.
 */
import { type CacheReadings, type CacheSizes, createCache } from "../db/cache.ts"
import type { ResponseContent } from "./represent.ts"

export type CachedResponses = ReturnType<typeof createCachedResponses>

/** The part of the budget for responses without a hit. */
const onceShare = 0.25

/** The memory of its headers. */
const headersBytes = 2_000

/** Includes the coded bodies, which are made later and take about a fifth each. */
const bytesOf = ({ body }: ResponseContent): number =>
  headersBytes + Math.ceil(body.bytes.length * 1.5)

/** Keys identify a release, a query and a format. */
export function createCachedResponses({ responses: maxBytes }: Pick<CacheSizes, "responses">) {
  const once = createCache<ResponseContent>(Math.floor(maxBytes * onceShare), bytesOf)
  const again = createCache<ResponseContent>(Math.floor(maxBytes * (1 - onceShare)), bytesOf)
  const lookups = { hit: 0, miss: 0 }

  function find(key: string): ResponseContent | undefined {
    const response = again.get(key)
    if (response) return response
    const first = once.get(key)
    if (!first) return undefined
    once.delete(key)
    again.set(key, first)
    return first
  }

  return {
    get: (key: string): ResponseContent | undefined => {
      const response = find(key)
      lookups[response ? "hit" : "miss"]++
      return response
    },
    /** Caches the result of `make`. Concurrent requests that missed share one result. */
    share: (key: string, make: () => ResponseContent): ResponseContent => {
      const shared = again.peek(key) ?? once.peek(key)
      if (shared) return shared
      const response = make()
      once.set(key, response)
      return response
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
