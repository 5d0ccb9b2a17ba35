import { afterAll, beforeAll, expect, test } from "bun:test"
import { createPool, type Pool } from "../../src/db/pool.ts"
import { createReader, type List, ReleaseSuperseded } from "../../src/db/reader.ts"
import { createReleases, noRelease, type Releases } from "../../src/db/releases.ts"
import { companies } from "../../src/resources/companies.ts"
import { reports } from "../../src/resources/reports.ts"
import { orderOf } from "../../src/resources/resource.ts"
import { ofCompany, tenements } from "../../src/resources/tenements.ts"
import { awkward } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
let pool: Pool
let releases: Releases

beforeAll(async () => {
  service = await testService()
  pool = createPool(service.database.url, {
    name: "reader test",
    connections: 3,
    queueLength: 100,
    statementTimeoutMs: 10_000,
  })
  releases = createReleases(pool)
})

afterAll(async () => {
  await pool.close()
  await service.stop()
})

const listOf = (resource: List["resource"], identity: string): List => ({
  resource,
  filters: [],
  order: orderOf(resource),
  bound: {},
  identity,
})
const allReports = listOf(reports, "all reports")
const first = { offset: 0, limit: 4 }

test("a page asked for under an older release is of the release that stands now, rows and total", async () => {
  const reader = createReader(pool, releases)
  const before = await releases.current()
  await reader.page(allReports, first, before)
  await service.publish({ ...awkward, reports: awkward.reports.slice(0, 6) })
  const page = await reader.page(allReports, { offset: 4, limit: 4 }, before)
  expect(page?.release.id).toBe(before.id + 1)
  expect([page?.total, page?.records.length]).toEqual([6, 2])
  const notYetCounted = listOf(reports, "the same, under another name")
  expect(await reader.total(notYetCounted, before)).toMatchObject({
    total: 6,
    release: page?.release,
  })
  expect((await reader.find(companies, "BIG", before))?.release.id).toBe(before.id + 1)
})

test("pages hold together while releases are published without pause", async () => {
  const reader = createReader(pool, releases)
  let publishing = true
  const publisher = (async () => {
    for (let size = 1; publishing; size = (size % 11) + 1) {
      await service.publish({ ...awkward, reports: awkward.reports.slice(0, size) })
    }
  })()
  const seen = new Set<number>()
  for (let round = 0; round < 60 || seen.size < 3; round++) {
    const release = await releases.current()
    const page = await reader.page(allReports, { offset: 0, limit: 100 }, release)
    expect(page?.records).toHaveLength(page?.total ?? -1)
    expect(page?.release.id).toBeGreaterThanOrEqual(release.id)
    seen.add(page?.total ?? 0)
  }
  publishing = false
  await publisher
})

test("an export whose release is superseded ends in an error, and not early", async () => {
  await service.publish(awkward)
  const reader = createReader(pool, releases)
  const found = await reader.chunks(allReports, 4, await releases.current())
  expect(found?.total).toBe(awkward.reports.length)
  expect((await found?.chunks.next())?.value).toHaveLength(4)
  await service.publish(awkward)
  await expect(found?.chunks.next()).rejects.toBeInstanceOf(ReleaseSuperseded)
})

test("an export gives every record once, also when its last chunk is full", async () => {
  const reader = createReader(pool, releases)
  for (const chunkSize of [1, 11, 5, 100]) {
    const found = await reader.chunks(allReports, chunkSize, await releases.current())
    const hashes: unknown[] = []
    for await (const chunk of found?.chunks ?? []) {
      expect(chunk.length).toBeLessThanOrEqual(chunkSize)
      hashes.push(...chunk.map(({ hash }) => hash))
    }
    expect(new Set(hashes).size).toBe(awkward.reports.length)
    expect(hashes).toHaveLength(awkward.reports.length)
  }
})

test("a list of a record that does not exist is none, of one that has nothing is empty", async () => {
  const reader = createReader(pool, releases)
  const release = await releases.current()
  const ofCode = (key: string): List => ({
    ...listOf(tenements, `tenements of ${key}`),
    parent: { resource: companies, scope: ofCompany, key },
  })
  for (const read of [reader.page, (list: List) => reader.total(list, release)]) {
    expect(await read(ofCode("ZZZ"), first, release)).toBeNull()
    expect(await read(ofCode("ATS"), first, release)).toMatchObject({ total: 0 })
  }
  expect(await reader.chunks(ofCode("ZZZ"), 10, release)).toBeNull()
  expect(await reader.find(companies, "ZZZ", release)).toBeNull()
})

test("what is kept of a release is not read again", async () => {
  const reader = createReader(pool, releases)
  const release = await releases.current()
  const total = await reader.total(allReports, release)
  // Against the rules, which is how it shows: only a load may change rows, and it makes a release.
  await service.sql`delete from reports where hash = 'a1'`
  expect(await reader.total(allReports, release)).toEqual(total)
})

test("before the first release there is release 0", async () => {
  const empty = await testService()
  await empty.sql`delete from releases`
  expect(await createReleases(pool).current()).not.toEqual(noRelease)
  const answer = await empty.get("/companies")
  expect(answer.headers.get("x-data-release")).toBe("0")
  expect(answer.headers.has("last-modified")).toBe(false)
  await empty.stop()
})
