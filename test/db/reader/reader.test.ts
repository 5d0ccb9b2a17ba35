/** What is read at a release is complete and consistent, even while newer ones are published. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { cacheSizes } from "../../../src/db/cache.ts"
import { createPool, type Pool } from "../../../src/db/pool/pool.ts"
import type { RowEncoder } from "../../../src/db/reader/encoded-rows.ts"
import type { List } from "../../../src/db/reader/list.ts"
import { createReleases, noRelease, type Releases } from "../../../src/db/reader/releases.ts"
import { companies } from "../../../src/resources/companies.ts"
import { reports } from "../../../src/resources/reports.ts"
import { orderOf } from "../../../src/resources/resource.ts"
import { ofCompany, tenements } from "../../../src/resources/tenements.ts"
import { awkward } from "../../support/fixtures.ts"
import { createReader } from "../../support/reader.ts"
import { type TestService, testService } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { countingPool } from "./counting-pool.ts"

let service: TestService
let pool: Pool
let releases: Releases

beforeAll(async () => {
  service = await testService()
  pool = createPool(service.database.url, {
    name: "reader test",
    connections: 3,
    statementTimeoutMs: 10_000,
  })
  releases = createReleases(pool)
})

afterAll(async () => {
  await pool.close()
  await service.stop()
})

const newReader = () =>
  createReader({ records: pool, lists: pool, exports: pool }, cacheSizes(1_000_000))

/** Options that read the newest release, for no account. */
const newest = async () => ({ release: await releases.current(), account: null })

const listOf = (resource: List["resource"], identity: string): List => ({
  resource,
  filters: [],
  order: orderOf(resource),
  updated: false,
  removed: false,
  bound: {},
  identity,
})
const allReports = listOf(reports, "all reports")
const first = { offset: 0, limit: 4 }

test("what is read at a release is of that release, although a newer one exists", async () => {
  const reader = newReader()
  const before = await newest()
  const all = await reader.page(allReports, { offset: 0, limit: 100 }, before)
  const big = await reader.find(companies, "BIG", before)
  await service.publish({ ...awkward, companies: [], reports: awkward.reports.slice(0, 6) })
  const after = await newest()

  for (const again of [reader, newReader()]) {
    expect(await again.page(allReports, { offset: 0, limit: 100 }, before)).toEqual(all)
    expect(await again.page(allReports, { offset: 8, limit: 2 }, before)).toEqual({
      total: awkward.reports.length,
      records: all?.records.slice(8, 10) ?? [],
    })
    expect(await again.find(companies, "BIG", before)).toEqual(big)
    expect(await again.find(companies, "BIG", after)).toBeNull()
    expect(await again.total(allReports, after)).toBe(6)
  }
})

test("a list that a newer release has emptied is still complete at the previous release", async () => {
  await service.publish(awkward)
  const before = await newest()
  await service.publish({ ...awkward, reports: [] })
  // A reader that has not seen the newer release detects it by a page without rows.
  const page = await newReader().page(allReports, first, before)
  expect([page?.total, page?.records.length]).toEqual([awkward.reports.length, 4])
})

test("pages are consistent while releases are published continuously", async () => {
  const reader = newReader()
  let publishing = true
  const publisher = (async () => {
    for (let size = 1; publishing; size = (size % 11) + 1) {
      await service.publish({ ...awkward, reports: awkward.reports.slice(0, size) })
    }
  })()
  const seen = new Set<number>()
  for (let round = 0; round < 60 || seen.size < 3; round++) {
    const release = await newest()
    const page = await reader.page(allReports, { offset: 0, limit: 100 }, release)
    expect(page?.records).toHaveLength(page?.total ?? -1)
    seen.add(page?.total ?? 0)
  }
  publishing = false
  await publisher
})

/** An encoder whose bytes are the first fields of the rows, one a line. */
function keyEncoder(): RowEncoder {
  const keys: string[] = []
  let fields: string[] = []
  return {
    cell: (text, start, end) => fields.push(new TextDecoder().decode(text.subarray(start, end))),
    emptyCell: () => fields.push(""),
    endRow: () => {
      keys.push(`${fields[0]}\n`)
      fields = []
    },
    bytes: () => new TextEncoder().encode(keys.join("")),
  }
}

const inChunksOf = async (chunkSize: number) => ({
  ...(await newest()),
  chunkSize,
  newEncoder: keyEncoder,
})

test("an export stays on its release, and fails where records of it are lost", async () => {
  await service.publish(awkward)
  const reader = newReader()
  const options = await inChunksOf(2)
  const kept = await reader.chunks(allReports, options)
  const lost = await reader.chunks(allReports, options)
  await Promise.all([kept?.chunks.next(), lost?.chunks.next()])
  await service.publish({ ...awkward, reports: [] })
  expect(await Array.fromAsync(kept?.chunks ?? [])).toHaveLength(
    Math.ceil(awkward.reports.length / 2) - 1,
  )
  await service.sql`delete from reports_history`
  // One chunk was read ahead.
  await lost?.chunks.next()
  await expect(lost?.chunks.next()).rejects.toThrow("no longer available")
  await service.publish(awkward)
})

test("an export ends in an error where its release was replaced by another of its number", async () => {
  const options = await inChunksOf(2)
  const found = await newReader().chunks(allReports, options)
  await found?.chunks.next()
  // One chunk is read ahead: it must have been read before the release is replaced.
  await until(() => pool.readings().running === 0)
  await service.sql`update releases set published_at = published_at + interval '1 second'
    where id = ${options.release.id}`
  await found?.chunks.next()
  await expect(found?.chunks.next()).rejects.toThrow("no longer available")
})

test("an export contains every record once, also when its last chunk is full", async () => {
  const reader = newReader()
  for (const chunkSize of [1, 11, 5, 100]) {
    const found = await reader.chunks(allReports, await inChunksOf(chunkSize))
    const hashes: string[] = []
    for await (const { records, bytes } of found?.chunks ?? []) {
      const read = new TextDecoder().decode(bytes).split("\n").slice(0, -1)
      expect(read).toHaveLength(records)
      expect(records).toBeLessThanOrEqual(chunkSize)
      hashes.push(...read)
    }
    expect(new Set(hashes).size).toBe(awkward.reports.length)
    expect(hashes).toHaveLength(awkward.reports.length)
  }
})

test("a list of a record that does not exist is null, and of one without any it is empty", async () => {
  const reader = newReader()
  const release = await newest()
  const ofCode = (key: string): List => ({
    ...listOf(tenements, `tenements of ${key}`),
    parent: { resource: companies, scope: ofCompany, key },
  })
  expect(await reader.page(ofCode("ZZZ"), first, release)).toBeNull()
  expect(await reader.total(ofCode("ZZZ"), release)).toBeNull()
  expect(await reader.page(ofCode("ATS"), first, release)).toEqual({ total: 0, records: [] })
  expect(await reader.total(ofCode("ATS"), release)).toBe(0)
  expect(await reader.chunks(ofCode("ZZZ"), await inChunksOf(10))).toBeNull()
  expect(await reader.find(companies, "ZZZ", release)).toBeNull()
})

test("one chunk is read ahead of the receiver, and no more", async () => {
  const exports = countingPool(pool)
  const reader = createReader(
    { records: pool, lists: pool, exports: exports.pool },
    cacheSizes(1_000_000),
  )
  const found = await reader.chunks(allReports, await inChunksOf(1))
  expect(exports.counter.statements).toBe(1)
  for (const taken of [1, 2, 3]) {
    await found?.chunks.next()
    await until(() => exports.counter.statements > taken && pool.readings().running === 0)
    expect(exports.counter.statements).toBe(taken + 1)
  }
  await found?.chunks.return()
})

test("a hundred concurrent requests for a page run one count and one statement for its rows", async () => {
  const lists = countingPool(pool)
  const reader = createReader(
    { records: pool, lists: lists.pool, exports: pool },
    cacheSizes(1_000_000),
  )
  const { release } = await newest()
  const found = await Promise.all(
    Array.from({ length: 100 }, (_, caller) =>
      reader.page(allReports, first, { release, account: caller % 10 }),
    ),
  )
  expect(found).toEqual(Array(100).fill(found[0] ?? null))
  expect(found[0]?.records).toHaveLength(4)
  expect(lists.counter).toEqual({ statements: 1, rows: 1 })
})

test("lookups that wait for their account's turn share a statement, and each gets its own record", async () => {
  const single = createPool(service.database.url, {
    name: "reader test",
    connections: 2,
    connectionsPerAccount: 1,
    statementTimeoutMs: 10_000,
  })
  const lookups = countingPool(single)
  const reader = createReader(
    { records: lookups.pool, lists: pool, exports: pool },
    cacheSizes(1_000_000),
  )
  const options = await newest()
  const strange = ['"', "\\", "{a,b}", "null", "", 'a","b', "'"]
  const known = awkward.companies.map(({ asx_code }) => asx_code)
  const keys = [...known, ...strange, ...known]
  const found = await Promise.all(keys.map((key) => reader.find(companies, key, options)))
  expect(found.map((record) => record?.asx_code ?? null)).toEqual([
    ...known,
    ...strange.map(() => null),
    ...known,
  ])
  expect(lookups.counter.statements).toBe(1)
  const [first, ...others] = known.map((key) => reader.find(companies, key, options))
  await first
  const other = reader.find(companies, "BIG", { ...options, account: 7 })
  expect(await Promise.all([...others, other])).not.toContain(null)
  await single.close()
})

test("a page past a cached total runs no statement", async () => {
  const lists = countingPool(pool)
  const reader = createReader(
    { records: pool, lists: lists.pool, exports: pool },
    cacheSizes(1_000_000),
  )
  const options = await newest()
  const total = (await reader.total(allReports, options)) ?? 0
  for (const offset of [total, total + 1, 1e9]) {
    expect(await reader.page(allReports, { offset, limit: 4 }, options)).toEqual({
      total,
      records: [],
    })
  }
  expect(lists.counter.rows).toBe(0)
})

test("what is cached of a release is not read again", async () => {
  const reader = newReader()
  const release = await newest()
  const total = await reader.total(allReports, release)
  // Only a load may change rows, and it publishes a release. This change does not, so it is not seen.
  await service.sql`delete from reports where hash = 'a1'`
  expect(await reader.total(allReports, release)).toEqual(total)
})

test("before the first release the release is 0", async () => {
  const empty = await testService()
  await empty.sql`delete from releases`
  expect(await createReleases(pool).current()).not.toEqual(noRelease)
  const answer = await empty.get("/companies")
  expect(answer.headers.get("x-data-release")).toBe("0")
  expect(answer.headers.has("last-modified")).toBe(false)
  await empty.stop()
})
