/**
 * Whole answers of a release. What a release contains never changes, so they are cached without expiry,
 * within a budget in bytes. Authentication and the rate limit come before: a cached answer spares the
 * work of making it, and nothing else.
 *
 * An answer that was asked for again moves to the larger part of the budget (segmented LRU). So a
 * client that pages through a whole list, or reads many records once, drives out none of those that
 * others ask for again and again.
 */
import { type CacheReadings, type CacheSizes, createCache } from "../db/cache.ts"
import { type Release, releaseKey } from "../db/reader/releases.ts"
import type { Content } from "./represent.ts"

export type CachedAnswers = ReturnType<typeof createCachedAnswers>

/** The part of the budget for answers that were asked for once. */
const onceShare = 0.25

/** What its headers take. */
const headersBytes = 2_000

/** With its coded forms, which are made later and are about a fifth of it each. */
const bytesOf = ({ body }: Content): number => headersBytes + Math.ceil(body.bytes.length * 1.5)

/** `query` identifies a query and the format of its answer, as `ListPlan.answerKey` does. */
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
    /** Caches what `make` gives. Requests that missed at the same time share one answer. */
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
