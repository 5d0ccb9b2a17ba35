/**
 * Which crawl of a query a page belongs to.
 *
 * Several crawls of one query at once are told apart by the page that each expects next, then by the
 * client that reads them. Clients that read one query in step can each send an `_` of their own,
 * which makes theirs a crawl apart. A page that no crawl expects, as when pages are read in parallel
 * or again, is of the crawl that was read last.
 */
import type { Release } from "../db/releases.ts"

export interface Crawl {
  release: Release
  /** Who reads it: its token and its address. */
  client: string
  expectedPage: number
  readMs: number
}

/** The crawls of one query, the one read last at the end. */
export type CrawlList = readonly Crawl[]

export const crawlIdleMs = 15 * 60 * 1000
/** Beyond these, what was read longest ago is forgotten. */
const keptCrawlsOfQuery = 50

/** Those that were read within the last 15 minutes. */
export const underWay = (crawls: CrawlList, nowMs: number): CrawlList =>
  crawls.filter(({ readMs }) => nowMs - readMs <= crawlIdleMs)

/** Page 1 was answered, and more pages follow. */
export const withBegun = (
  crawls: CrawlList,
  { release, client }: Pick<Crawl, "release" | "client">,
  nowMs: number,
): CrawlList =>
  [...crawls, { release, client, expectedPage: 2, readMs: nowMs }].slice(-keptCrawlsOfQuery)

/** A later page is read: the list after that, and the page's release; no release where no crawl is under way. */
export function withRead(
  crawls: CrawlList,
  { client, page }: { client: string; page: number },
  nowMs: number,
): { crawls: CrawlList; release: Release | undefined } {
  const expecting = crawls.filter(({ expectedPage }) => expectedPage === page)
  const crawl = expecting.find((each) => each.client === client) ?? expecting[0] ?? crawls.at(-1)
  if (!crawl) return { crawls, release: undefined }
  const read = { ...crawl, expectedPage: page + 1, readMs: nowMs }
  return { crawls: [...crawls.filter((each) => each !== crawl), read], release: crawl.release }
}
