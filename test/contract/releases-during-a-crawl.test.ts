/**
 * A crawl of a list shows the release of its page 1 on every page, while new releases are
 * published.
 */
import { expect, test } from "bun:test"
import { type Fixtures, none, type ReportFixture } from "../support/fixtures.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { readList, releaseOf } from "./bodies.ts"
import { crawl } from "./crawl.ts"

/** The newest release. Every release has reports of its own, five pages of ten. */
let newest = 0

const service = await serviceOfFile({ records: recordsOf(1) })
newest = 1

function recordsOf(release: number): Fixtures {
  const reports: ReportFixture[] = Array.from({ length: 50 }, (_, index) => ({
    hash: `${release}-${String(index).padStart(2, "0")}`,
    asx_code: "BIG",
    title: `Report ${index} of release ${release}`,
    type: null,
    published_at: "2026-01-01T00:00:00Z",
    url: null,
  }))
  return { ...none, reports }
}

async function publish(): Promise<void> {
  newest++
  await service.publish(recordsOf(newest))
}

/** One client's view of the list: `query` keeps the tests' crawls apart. */
function reader(query: string, token = service.tokens.admin) {
  const path = (page: number) => `/reports?per_page=10&_=${query}&page=${page}`
  const read = async (page: number) => {
    const response = await service.get(path(page), { token })
    expect([page, response.status]).toEqual([page, 200])
    const { data, meta } = await readList(response)
    const release = releaseOf(response)
    expect(meta).toEqual({ total: 50, page, per_page: 10, total_pages: 5 })
    const first = (page - 1) * 10
    // The records are the release's own, not its number alone.
    expect(data.map(({ hash }) => hash)).toEqual(
      recordsOf(release)
        .reports.slice(first, first + 10)
        .map(({ hash }) => hash),
    )
    return release
  }
  const inTurn = async (pages: number[]) => {
    const releases: number[] = []
    for (const page of pages) releases.push(await read(page))
    return releases
  }
  return { read, inTurn, path }
}

const same = (pages: number[], release: number) => pages.map(() => release)

test("A crawl begun again after a release never gets a page of the old one, with eight parallel readers", async () => {
  const { inTurn, read } = reader("at once")
  await inTurn([1, 2, 3, 4, 5])
  for (let round = 0; round < 5; round++) {
    // Pages of the crawl before are still on their way.
    const before = [5, 3, 4, 2].map((page) => read(page))
    await publish()
    expect(await read(1)).toBe(newest)
    const pages = [5, 3, 4, 2, 3, 5, 2, 4]
    expect(await Promise.all(pages.map((page) => read(page)))).toEqual(same(pages, newest))
    await Promise.all(before)
  }
})

test("A list that shrinks to one page has no page 2 of the release before", async () => {
  const path = (page: number) => `/reports?search=shrinking&per_page=10&page=${page}`
  const page = async (number: number) => {
    const response = await service.get(path(number))
    const { data, meta } = await readList(response)
    return [releaseOf(response), data.length, meta.total]
  }
  const shrinkTo = async (count: number) => {
    newest++
    const { reports } = recordsOf(newest)
    const found = reports.slice(0, count).map((each) => ({ ...each, title: "Shrinking" }))
    await service.publish({ ...none, reports: [...found, ...reports.slice(count)] })
  }
  for (const count of [5, 0]) {
    await shrinkTo(30)
    expect([await page(1), await page(2)]).toEqual([
      [newest, 10, 30],
      [newest, 10, 30],
    ])
    await shrinkTo(count)
    expect([await page(1), await page(2)]).toEqual([
      [newest, count, count],
      [newest, 0, count],
    ])
  }
  await publish()
})

test("A crawl by links has each record of its release once, whoever else reads page 1", async () => {
  const today = service.clock.now.toISOString().slice(0, 10)
  for (const query of ["", `&as_of=${today}&_=linked`]) {
    const old = newest
    const hashes: unknown[] = []
    let next = `/api/v1/reports?per_page=10${query}`
    while (next) {
      const response = await service.get(next.replace("/api/v1", ""))
      hashes.push(...(await readList(response)).data.map(({ hash }) => hash))
      next = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1] ?? ""
      await publish()
      await service.get(`/reports?per_page=10${query}`)
    }
    expect(hashes).toEqual(recordsOf(old).reports.map(({ hash }) => hash))
  }
})

test("A cached page to which a link leads needs no query for its release", async () => {
  await service.get("/reports?per_page=10")
  const path = `/reports?per_page=10&as_of=${newest}&page=2`
  await service.get(path)
  const status = await service.sql.begin(async (sql) => {
    await sql`lock table releases in access exclusive mode`
    return (await service.get(path)).headers.get("cache-status")
  })
  expect(status).toBe("mds; hit")
})

test("Different values of _ keep two crawls with one token apart", async () => {
  const [first, second] = [reader("first"), reader("second")]
  const old = await first.read(1)
  await publish()
  expect([await second.read(1), await first.read(2), await second.read(2)]).toEqual([
    newest,
    old,
    newest,
  ])
})

test("After a restart a crawl continues on one release", async () => {
  const { read } = reader("restarted")
  const old = await read(1)
  await publish()
  await using restarted = await testService({ beside: service, now: service.clock.now })
  const page = async (number: number) =>
    releaseOf(await restarted.get(`/reports?per_page=10&_=restarted&page=${number}`))
  expect(await page(2)).toBe(newest)
  await publish()
  expect([await page(3), await page(4)]).toEqual([newest - 1, newest - 1])
  expect(await read(2)).toBe(old)
})

test("A crawl whose page 1 got a 304 stays on the release that it confirmed", async () => {
  const { read, path } = reader("confirmed")
  await read(1)
  await publish()
  const etag = (await service.get(path(1))).headers.get("etag") ?? ""
  const response = await service.get(path(1), { headers: { "If-None-Match": etag } })
  expect(response.status).toBe(304)
  const confirmed = newest
  await publish()
  expect([await read(2), await read(3)]).toEqual([confirmed, confirmed])
})

test("Each token's crawl stays on the release of its own page 1", async () => {
  const first = reader("in step")
  const second = reader("in step", await service.issueWithLimit(100))
  const old = newest
  await first.read(1)
  await publish()
  await second.read(1)
  for (const page of [2, 3, 4, 5]) {
    expect([await second.read(page), await first.read(page)]).toEqual([newest, old])
  }
})

test("A crawl as of a day that ends in its middle stays on the release of its page 1", async () => {
  const path = "/reports?per_page=10&as_of=2026-03-01&_=midnight"
  const release = async (page: number) => releaseOf(await service.get(`${path}&page=${page}`))
  const old = newest
  const begun = service.clock.now
  service.clock.now = new Date("2026-03-01T23:55:00Z")
  expect(await release(1)).toBe(old)
  await publish()
  service.clock.now = new Date("2026-03-02T00:05:00Z")
  expect(await release(2)).toBe(old)
  // Begun again on the day after, it shows what stood at the day's end, and so on every page.
  expect([await release(1), await release(2), await release(3)]).toEqual([newest, newest, newest])
  service.clock.now = begun
})

test("A crawl as of a release is the same whatever is published", async () => {
  const old = newest
  await publish()
  const queries = [`as_of=${newest}`, `updated_since=${old}`, `removed_since=${old}`]
  for (const query of queries) {
    const expected = await crawl(service, `/reports?${query}`, 100)
    const begun = await readList(await service.get(`/reports?${query}&per_page=10`))
    await publish()
    const rest = []
    for (const page of [2, 3, 4, 5]) {
      const response = await service.get(`/reports?${query}&per_page=10&page=${page}`)
      rest.push(...(await readList(response)).data)
    }
    expect([...begun.data, ...rest]).toEqual(expected.slice(0, 50))
  }
})
