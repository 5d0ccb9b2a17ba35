import { expect, test } from "bun:test"
import { crawlIdleMs, createCrawls } from "../../src/routes/crawls.ts"

const release = (id: number) => ({ id, publishedAt: id * 1000 })

test("a later page is of the release of its page 1", () => {
  const crawls = createCrawls()
  crawls.begin("q", "a", release(1), 0)
  expect([2, 3, 3, 9].map((page) => crawls.next("q", "a", page, page)?.id)).toEqual([1, 1, 1, 1])
})

test("a crawl is forgotten 15 minutes after its last page, and not before", () => {
  const crawls = createCrawls()
  crawls.begin("q", "a", release(1), 0)
  expect(crawls.next("q", "a", 2, crawlIdleMs)?.id).toBe(1)
  expect(crawls.next("q", "a", 3, 2 * crawlIdleMs)?.id).toBe(1)
  expect(crawls.next("q", "a", 4, 3 * crawlIdleMs + 1)).toBeUndefined()
})

test("another query has no part in it", () => {
  const crawls = createCrawls()
  crawls.begin("q", "a", release(1), 0)
  expect(crawls.next("p", "a", 2, 1)).toBeUndefined()
})

test("two crawls are told apart by the page that each expects", () => {
  const crawls = createCrawls()
  crawls.begin("q", "a", release(1), 0)
  expect(crawls.next("q", "a", 2, 1)?.id).toBe(1)
  crawls.begin("q", "a", release(2), 2)
  expect(crawls.next("q", "a", 3, 3)?.id).toBe(1)
  expect(crawls.next("q", "a", 2, 4)?.id).toBe(2)
  expect(crawls.next("q", "a", 4, 5)?.id).toBe(1)
  expect(crawls.next("q", "a", 3, 6)?.id).toBe(2)
})

test("crawls in step are told apart by who reads them", () => {
  const crawls = createCrawls()
  crawls.begin("q", "a", release(1), 0)
  crawls.begin("q", "b", release(2), 1)
  for (let page = 2; page < 50; page++) {
    expect(crawls.next("q", "b", page, page)?.id).toBe(2)
    expect(crawls.next("q", "a", page, page)?.id).toBe(1)
  }
})

test("the oldest release that is read is that of a crawl or an export under way", () => {
  const crawls = createCrawls()
  expect(crawls.oldest(0)).toBeUndefined()
  crawls.begin("q", "a", release(5), 0)
  const letGo = crawls.hold(release(3))
  expect(crawls.oldest(1)).toBe(3)
  letGo()
  expect(crawls.oldest(1)).toBe(5)
  expect(crawls.oldest(crawlIdleMs + 1)).toBeUndefined()
})
