import { expect, test } from "bun:test"
import { crawlIdleMs } from "../../src/routes/crawl-list.ts"
import { createCrawls } from "../../src/routes/crawls.ts"

const release = (id: number) => ({ id, publishedAt: id * 1000 })

test("a later page is of the release of its page 1", async () => {
  const crawls = createCrawls(null, 1_000_000)
  await crawls.begin("q", "a", release(1), 0)
  for (const page of [2, 3, 3, 9]) {
    expect((await crawls.next("q", "a", page, page))?.id).toBe(1)
  }
})

test("a crawl is forgotten 15 minutes after its last page, and not before", async () => {
  const crawls = createCrawls(null, 1_000_000)
  await crawls.begin("q", "a", release(1), 0)
  expect((await crawls.next("q", "a", 2, crawlIdleMs))?.id).toBe(1)
  expect((await crawls.next("q", "a", 3, 2 * crawlIdleMs))?.id).toBe(1)
  expect(await crawls.next("q", "a", 4, 3 * crawlIdleMs + 1)).toBeUndefined()
})

test("another query has no part in it", async () => {
  const crawls = createCrawls(null, 1_000_000)
  await crawls.begin("q", "a", release(1), 0)
  expect(await crawls.next("p", "a", 2, 1)).toBeUndefined()
})

test("two crawls are told apart by the page that each expects", async () => {
  const crawls = createCrawls(null, 1_000_000)
  await crawls.begin("q", "a", release(1), 0)
  expect((await crawls.next("q", "a", 2, 1))?.id).toBe(1)
  await crawls.begin("q", "a", release(2), 2)
  expect((await crawls.next("q", "a", 3, 3))?.id).toBe(1)
  expect((await crawls.next("q", "a", 2, 4))?.id).toBe(2)
  expect((await crawls.next("q", "a", 4, 5))?.id).toBe(1)
  expect((await crawls.next("q", "a", 3, 6))?.id).toBe(2)
})

test("crawls in step are told apart by who reads them", async () => {
  const crawls = createCrawls(null, 1_000_000)
  await crawls.begin("q", "a", release(1), 0)
  await crawls.begin("q", "b", release(2), 1)
  for (let page = 2; page < 50; page++) {
    expect((await crawls.next("q", "b", page, page))?.id).toBe(2)
    expect((await crawls.next("q", "a", page, page))?.id).toBe(1)
  }
})

test("crawls that begin and go on at the same moment are all known after it", async () => {
  const crawls = createCrawls(null, 1_000_000)
  await Promise.all([1, 2, 3].map((id) => crawls.begin("q", `client ${id}`, release(id), 0)))
  const pages = await Promise.all(
    [3, 1, 2].map(async (id) => (await crawls.next("q", `client ${id}`, 2, 1))?.id),
  )
  expect(pages).toEqual([3, 1, 2])
})

test("the oldest release that is read is that of a crawl or an export under way", async () => {
  const crawls = createCrawls(null, 1_000_000)
  expect(crawls.oldest(0)).toBeUndefined()
  await crawls.begin("q", "a", release(5), 0)
  const letGo = crawls.hold(release(3))
  expect(crawls.oldest(1)).toBe(3)
  letGo()
  expect(crawls.oldest(1)).toBe(5)
  expect(crawls.oldest(crawlIdleMs + 1)).toBeUndefined()
})
