/**
 * Keeps a crawl on the release it began on, so that counting up `page` gives each record exactly
 * once while data is being published. Page 1 is always of the newest release; a later page of the
 * same query by the same account is of the release that its page 1 showed, until 15 minutes have
 * passed since the last page was read.
 *
 * Several crawls of one query at once are told apart by the page that each expects next, then by the
 * client that reads them. Clients that read one query in step can each send an `_` of their own,
 * which makes theirs a crawl apart. A page that no crawl expects, as when pages are read in parallel
 * or again, is of the crawl that was read last.
 */
import { LruMap } from "../db/lru-map.ts"
import type { Release } from "../db/releases.ts"

export interface Crawls {
  /** Page 1 was answered, and more pages follow. */
  begin(query: string, client: string, release: Release, nowMs: number): void
  /** The release of a later page; undefined where no crawl is under way. */
  next(query: string, client: string, page: number, nowMs: number): Release | undefined
  /** An export reads a release until the function that this gives is called. */
  hold(release: Release): () => void
  /** The number of the oldest release that a crawl or an export under way is on. */
  oldest(nowMs: number): number | undefined
}

interface Crawl {
  release: Release
  client: string
  expectedPage: number
  readMs: number
}

export const crawlIdleMs = 15 * 60 * 1000
/** Beyond these, what was read longest ago is forgotten. */
const keptQueries = 50_000
const keptCrawlsOfQuery = 50

export function createCrawls(): Crawls {
  const crawls = new LruMap<Crawl[]>(keptQueries)
  const held = new Set<{ id: number }>()

  /** Those of them under way, the one read last at the end. */
  const underWay = (known: readonly Crawl[], nowMs: number): Crawl[] =>
    known.filter(({ readMs }) => nowMs - readMs <= crawlIdleMs)
  const underWayOf = (query: string, nowMs: number) => underWay(crawls.get(query) ?? [], nowMs)
  const keep = (query: string, kept: Crawl[]) => crawls.set(query, kept.slice(-keptCrawlsOfQuery))

  return {
    begin: (query, client, release, nowMs) => {
      keep(query, [
        ...underWayOf(query, nowMs),
        { release, client, expectedPage: 2, readMs: nowMs },
      ])
    },

    next: (query, client, page, nowMs) => {
      const known = underWayOf(query, nowMs)
      const expecting = known.filter(({ expectedPage }) => expectedPage === page)
      const crawl = expecting.find((each) => each.client === client) ?? expecting[0] ?? known.at(-1)
      if (!crawl) return undefined
      const read = { ...crawl, expectedPage: page + 1, readMs: nowMs }
      keep(query, [...known.filter((each) => each !== crawl), read])
      return crawl.release
    },

    hold: ({ id }) => {
      const hold = { id }
      held.add(hold)
      return () => held.delete(hold)
    },

    oldest: (nowMs) => {
      const crawled = underWay([...crawls.values()].flat(), nowMs).map(({ release }) => release.id)
      const oldest = Math.min(...crawled, ...[...held].map(({ id }) => id))
      return Number.isFinite(oldest) ? oldest : undefined
    },
  }
}
