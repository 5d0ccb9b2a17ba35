/**
 * Keeps a crawl on the release it began on, so that counting up `page` gives each record exactly
 * once while data is being published. Page 1 is always of the newest release; a later page of the
 * same query by the same account is of the release that its page 1 showed, until 15 minutes have
 * passed since the last page was read, in whichever process.
 */
import { createCache } from "../db/cache.ts"
import type { Release } from "../db/releases.ts"
import { type CrawlList, underWay, withBegun, withRead } from "./crawl-list.ts"
import type { SharedCrawls } from "./shared-crawls.ts"

export interface Crawls {
  /** Page 1 was answered, and more pages follow. */
  begin(query: string, client: string, release: Release, nowMs: number): Promise<void>
  /** The release of a later page; undefined where no crawl is under way. */
  next(query: string, client: string, page: number, nowMs: number): Promise<Release | undefined>
  /** An export reads a release until the function that this gives is called. */
  hold(release: Release): () => void
  /** The number of the oldest release that a crawl or an export under way is on, as far as this process has seen it. */
  oldest(nowMs: number): number | undefined
}

/** About what one takes, its client's name included. */
const crawlBytes = 200

/**
 * @param shared through which several processes know each other's crawls; null for one alone
 * @param maxBytes for what is kept here; beyond, what was read longest ago is forgotten
 */
export function createCrawls(shared: SharedCrawls | null, maxBytes: number): Crawls {
  const own = createCache<CrawlList>(maxBytes, (crawls) => crawls.length * crawlBytes)
  const held = new Set<{ id: number }>()

  /**
   * What all processes know goes before what this one does, and is kept here as well: for the time
   * that the others can't be asked, and because this process then reads that release.
   */
  async function change<T extends { crawls: CrawlList }>(
    query: string,
    nowMs: number,
    to: (crawls: CrawlList) => T,
  ): Promise<T> {
    const toUnderWay = (crawls: CrawlList) => to(underWay(crawls, nowMs))
    const known = () => own.get(query) ?? []
    // What is known here may change while the others are asked.
    const changed = (await shared?.change(query, known, toUnderWay)) ?? toUnderWay(known())
    if (changed.crawls.length > 0) own.set(query, changed.crawls)
    return changed
  }

  return {
    begin: async (query, client, release, nowMs) => {
      await change(query, nowMs, (crawls) => ({
        crawls: withBegun(crawls, { release, client }, nowMs),
      }))
    },

    next: async (query, client, page, nowMs) => {
      const read = await change(query, nowMs, (crawls) => withRead(crawls, { client, page }, nowMs))
      return read.release
    },

    hold: ({ id }) => {
      const hold = { id }
      held.add(hold)
      return () => held.delete(hold)
    },

    oldest: (nowMs) => {
      const crawled = underWay([...own.values()].flat(), nowMs).map(({ release }) => release.id)
      const oldest = Math.min(...crawled, ...[...held].map(({ id }) => id))
      return Number.isFinite(oldest) ? oldest : undefined
    },
  }
}
