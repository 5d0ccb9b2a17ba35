/**
 * Caches whole responses by release and query. A release never changes, so entries do not expire; the budget in
 * bytes limits them. Authentication and the rate limit come before the cache.
 */
import { type CacheSizes, createCache } from "../../data/db/cache.ts"
import type { ResponseContent } from "./represent.ts"

export type CachedResponses = ReturnType<typeof createCachedResponses>

/** The memory of its headers. */
const headersBytes = 2_000

/** Includes the coded bodies, which are made later and take about a fifth each. */
const bytesOf = ({ body }: ResponseContent): number =>
  headersBytes + Math.ceil(body.bytes.length * 1.5)

/** Keys identify a release, a query and a format. */
export function createCachedResponses({ responses: maxBytes }: Pick<CacheSizes, "responses">) {
  const cache = createCache<ResponseContent>(maxBytes, bytesOf)
  const lookups = { hit: 0, miss: 0 }
  return {
    get: (key: string): ResponseContent | undefined => {
      const response = cache.get(key)
      lookups[response ? "hit" : "miss"]++
      return response
    },
    /** Caches the result of `make`. Concurrent requests that missed share one result. */
    share: (key: string, make: () => ResponseContent): ResponseContent => {
      const shared = cache.peek(key)
      if (shared) return shared
      const response = make()
      cache.set(key, response)
      return response
    },
    readings: () => ({ lookups, ...cache.readings() }),
  }
}
