/**
 * Which crawl of a query a page belongs to.
 *
 * Page 1 begins a crawl. Crawls of one query at once are told apart by the page that each expects
 * next and by the client that reads them. A later page belongs to
 *
 *  1. the newest of the client's own crawls that expects the page or read it last, which makes it a
 *     retry, though not of an older crawl that is at its end;
 *  2. else the client's newest, if that has read the page before and is not at its end;
 *  3. else the newest that expects it or read it last of those that other clients have begun since:
 *     a client's address may change from one page to the next;
 *  4. else the client's newest, else the newest of all: pages are read in parallel or at random.
 *
 * So a client that begins again is on the new release throughout. It goes on with an older crawl only
 * exactly where that stopped, and only while the new one has not come so far: two that read in turn.
 * Clients that read one query in step can each send an `_` of their own, which makes theirs a crawl
 * apart.
 */
import type { Release } from "../../db/reader/releases.ts"

export interface Crawl {
  release: Release
  /** Who reads it: its token and its address. */
  client: string
  /** When its page 1 was asked for, which tells it from others of its client. */
  begunMs: number
  /** How many pages it has; unknown where page 1 was answered 304. */
  pages?: number | undefined
  /** The page after the last that was read. */
  expectedPage: number
  readMs: number
}

/** The crawls of one query, the newest at the end. */
export type CrawlList = readonly Crawl[]

export const crawlIdleMs = 15 * 60 * 1000
/** Beyond these, what was read longest ago is forgotten. */
const keptCrawlsOfQuery = 50

/** Those that were read within the last 15 minutes. */
export const underWay = (crawls: CrawlList, nowMs: number): CrawlList =>
  crawls.filter(({ readMs }) => nowMs - readMs <= crawlIdleMs)

/**
 * Page 1 was answered, and more pages follow.
 * @param askedMs when it was asked for: a request that was given up and sent again may end last
 */
export const withBegun = (
  crawls: CrawlList,
  { release, client, pages }: Pick<Crawl, "release" | "client" | "pages">,
  askedMs: number,
): CrawlList =>
  merged(crawls, [{ release, client, pages, begunMs: askedMs, expectedPage: 2, readMs: askedMs }])

/** A later page is read: the list after that, and the page's release; no release where no crawl is under way. */
export function withRead(
  crawls: CrawlList,
  { client, page }: { client: string; page: number },
  nowMs: number,
): { crawls: CrawlList; release: Release | undefined } {
  const crawl = crawlOfPage(crawls, client, page)
  if (!crawl) return { crawls, release: undefined }
  const read = furthest(crawl, { ...crawl, expectedPage: page + 1, readMs: nowMs })
  const changed = crawls.map((each) => (each === crawl ? read : each))
  return { crawls: withoutReached(changed), release: crawl.release }
}

function crawlOfPage(crawls: CrawlList, client: string, page: number): Crawl | undefined {
  const expects = ({ expectedPage }: Crawl) => page === expectedPage
  const readLast = ({ expectedPage }: Crawl) => page === expectedPage - 1
  const own = crawls.filter((crawl) => crawl.client === client)
  const newest = own.at(-1)
  const goesOn = own.findLast(
    (crawl) => expects(crawl) || (readLast(crawl) && (crawl === newest || !isAtEnd(crawl))),
  )
  if (goesOn) return goesOn
  if (newest && page < newest.expectedPage && !isAtEnd(newest)) return newest
  const begunSince = crawls.slice(newest ? crawls.indexOf(newest) + 1 : 0)
  return (
    begunSince.findLast((crawl) => expects(crawl) || readLast(crawl)) ?? newest ?? crawls.at(-1)
  )
}

/** One of which it is not known how many pages it has may be. */
const isAtEnd = ({ expectedPage, pages = 0 }: Crawl): boolean => expectedPage > pages

/** What two lists know of one query. Each crawl is as far on as either knows it. */
export function merged(one: CrawlList, other: CrawlList): CrawlList {
  const crawls = new Map(one.map((crawl) => [nameOf(crawl), crawl]))
  for (const crawl of other) {
    const known = crawls.get(nameOf(crawl))
    crawls.set(nameOf(crawl), known ? furthest(known, crawl) : crawl)
  }
  const ahead = withoutReached([...crawls.values()].sort(oldestFirst))
  if (ahead.length <= keptCrawlsOfQuery) return ahead
  return ahead
    .sort((a, b) => b.readMs - a.readMs)
    .slice(0, keptCrawlsOfQuery)
    .sort(oldestFirst)
}

const oldestFirst = (a: Crawl, b: Crawl): number =>
  a.begunMs - b.begunMs || a.release.id - b.release.id

const nameOf = ({ client, begunMs, release }: Crawl): string => `${client} ${begunMs} ${release.id}`

const furthest = (one: Crawl, other: Crawl): Crawl => ({
  ...one,
  expectedPage: Math.max(one.expectedPage, other.expectedPage),
  readMs: Math.max(one.readMs, other.readMs),
})

/** A crawl that a newer one of its client has reached can be given no page any more. */
function withoutReached(crawls: CrawlList): Crawl[] {
  const reached = new Map<string, number>()
  const ahead: Crawl[] = []
  for (const crawl of crawls.toReversed()) {
    if (crawl.expectedPage <= (reached.get(crawl.client) ?? 0)) continue
    reached.set(crawl.client, crawl.expectedPage)
    ahead.push(crawl)
  }
  return ahead.reverse()
}
