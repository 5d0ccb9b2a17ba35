/**
 * Keeps a crawl on the release it began on, so that counting up `page` gives each record exactly
 * once while data is being published. Page 1 is always of the newest release, or the newest by the
 * time that `as_of` names; a later page of the same query by the same account is of the release that
 * its page 1 showed, until 15 minutes have passed since the last page was read, in whichever process.
 */
import { createCache } from "../../db/cache.ts"
import type { Release } from "../../db/reader/releases.ts"
import {
  type Crawl,
  type CrawlList,
  merged,
  underWay,
  withBegun,
  withRead,
} from "./page-sequence.ts"
import type { SharedCrawls } from "./shared-page-sequences.ts"

export interface Crawls {
  /** Page 1, asked for at this time, was answered, and more pages follow. */
  begin(query: string, begun: Begun, askedMs: number): Promise<void>
  /** The release of a later page; undefined where no crawl is under way. */
  next(query: string, client: string, page: number, nowMs: number): Promise<Release | undefined>
  /** An export reads a release until the function that this gives is called. */
  hold(release: Release): () => void
  /** The number of the oldest release that a crawl or an export under way is on, as far as this process has seen it. */
  oldest(nowMs: number): number | undefined
}

/** About what one takes, its client's name included. */
const crawlBytes = 200

export type Begun = Pick<Crawl, "client" | "release" | "pages">

/**
 * @param shared through which several processes know each other's crawls; null for one alone
 * @param maxBytes for what is kept here; beyond, what was read longest ago is forgotten
 */
export function createCrawls(shared: SharedCrawls | null, maxBytes: number): Crawls {
  const own = createCache<CrawlList>(maxBytes, (crawls) => crawls.length * crawlBytes)
  const held = new Set<{ id: number }>()

  function keep<T extends { crawls: CrawlList }>(query: string, changed: T): T {
    if (changed.crawls.length > 0) own.set(query, changed.crawls)
    return changed
  }

  /**
   * What all processes know is kept here as well: for the time that the others can't be asked, and
   * because this process then reads that release.
   */
  async function change<T extends { crawls: CrawlList }>(
    query: string,
    nowMs: number,
    to: (crawls: CrawlList) => T,
  ): Promise<T> {
    const toUnderWay = (crawls: CrawlList) => to(underWay(crawls, nowMs))
    const known = () => own.get(query) ?? []
    const changed = await shared?.change(query, known, toUnderWay)
    if (!changed) return keep(query, toUnderWay(known()))
    // What is known here may have changed while the others were asked.
    keep(query, { crawls: underWay(merged(known(), changed.crawls), nowMs) })
    return changed
  }

  return {
    begin: async (query, begun, askedMs) => {
      await change(query, askedMs, (crawls) => ({ crawls: withBegun(crawls, begun, askedMs) }))
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
      let oldest = Number.POSITIVE_INFINITY
      const read = (id: number): void => {
        // Before the first release there is nothing to keep.
        if (id > 0) oldest = Math.min(oldest, id)
      }
      for (const crawls of own.values()) {
        for (const { release } of underWay(crawls, nowMs)) read(release.id)
      }
      for (const { id } of held) read(id)
      return Number.isFinite(oldest) ? oldest : undefined
    },
  }
}
