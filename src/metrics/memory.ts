/** What the process keeps in memory, within budgets: caches and rate limit windows. */
import { byName, type Collector, familyOf } from "./families.ts"

interface CacheReadings {
  entries: number
  bytes: number
  evicted: number
}

interface WindowReadings {
  size: number
  bytes: number
  evicted: number
}

export interface MemoryReadings {
  /** By name; that of whole answers is among them. */
  caches: Readonly<Record<string, CacheReadings>>
  /** Of the cache of whole answers. */
  answerLookups: Readonly<Record<"hit" | "miss", number>>
  windows: Readonly<Record<"accounts" | "addresses", WindowReadings>>
}

export const collectMemory =
  (read: () => MemoryReadings): Collector =>
  () => {
    const { caches, answerLookups, windows } = read()
    const cache = familyOf(Object.entries(caches), ([name]) => ({ cache: name }))
    const window = familyOf(Object.entries(windows), ([of]) => ({ of }))
    return [
      byName("result", answerLookups)(
        "counter",
        "mds_answer_cache_lookups_total",
        "Lookups in the cache of whole answers, by whether the answer was there",
      ),
      cache("gauge", "mds_cache_entries", "Entries of a cache", ([, { entries }]) => entries),
      cache("gauge", "mds_cache_bytes", "Estimated memory of a cache", ([, { bytes }]) => bytes),
      cache(
        "counter",
        "mds_cache_evictions_total",
        "Entries of a cache that made room for others",
        ([, { evicted }]) => evicted,
      ),
      window(
        "gauge",
        "mds_windows",
        "Rate limit windows in the memory of the process",
        ([, { size }]) => size,
      ),
      window(
        "gauge",
        "mds_windows_bytes",
        "Estimated memory of the rate limit windows",
        ([, { bytes }]) => bytes,
      ),
      window(
        "counter",
        "mds_windows_evicted_total",
        "Rate limit windows evicted for lack of memory while requests in them still counted",
        ([, { evicted }]) => evicted,
      ),
    ]
  }
