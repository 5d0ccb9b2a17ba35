/** What is read at a release is complete and consistent, even while newer ones are published. */
import { expect, test } from "bun:test"
import { cacheSizes } from "../../../src/db/cache.ts"
import { createPool } from "../../../src/db/pool/pool.ts"
import { createReader } from "../../../src/db/reader/reader.ts"
import { createReleases } from "../../../src/db/reader/releases.ts"
import type { RowEncoder } from "../../../src/db/reader/rows.ts"
import type { List } from "../../../src/db/reader/statements.ts"
import { companies } from "../../../src/resources/companies.ts"
import { reports } from "../../../src/resources/reports.ts"
import { orderOf } from "../../../src/resources/resource.ts"
import { awkward } from "../../support/fixtures.ts"
import { afterFile } from "../../support/of-file.ts"
import { serviceOfFile } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { countingPool } from "./counting-pool.ts"

const service = await serviceOfFile()
const pool = createPool(service.database.url, {
  name: "reader test",
  connections: 3,
  statementTimeoutMs: 10_000,
})
const releases = createReleases(pool)
afterFile(() => pool.close())

const newReader = (pools: Partial<Parameters<typeof createReader>[0]> = {}) =>
  createReader({ records: pool, lists: pool, exports: pool, ...pools }, cacheSizes(1_000_000))

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

test("an emptied list is still complete at the previous release", async () => {
  await service.publish(awkward)
  const before = await newest()
  await service.publish({ ...awkward, reports: [] })
  // A reader that has not seen the newer release detects it by a page without rows.
  const page = await newReader().page(allReports, first, before)
  expect([page?.total, page?.records.length]).toEqual([awkward.reports.length, 4])
  await service.publish(awkward)
})

/** An encoder whose bytes are the first fields of the rows, one a line. */
function keyEncoder(): RowEncoder<Uint8Array<ArrayBuffer>> {
  const keys: string[] = []
  let fields: string[] = []
  return {
    cell: (text, start, end) => fields.push(new TextDecoder().decode(text.subarray(start, end))),
    emptyCell: () => fields.push(""),
    endRow: () => {
      keys.push(`${fields[0]}\n`)
      fields = []
    },
    content: () => new TextEncoder().encode(keys.join("")),
  }
}

const inChunksOf = async (chunkSize: number) => ({
  ...(await newest()),
  chunkSize,
  newEncoder: keyEncoder,
})

test("an export fails if another release took its number", async () => {
  const options = await inChunksOf(2)
  const found = await newReader().chunks(allReports, options)
  await found?.chunks.next()
  // One chunk is read ahead: it must have been read before the release is replaced.
  await until(() => pool.readings().running === 0)
  await service.sql`update releases set identity = gen_random_uuid()
    where id = ${options.release.id}`
  await found?.chunks.next()
  await expect(found?.chunks.next()).rejects.toThrow("no longer available")
})

test("an export reads at most one chunk ahead", async () => {
  const exports = countingPool(pool)
  const reader = newReader({ exports: exports.pool })
  const found = await reader.chunks(allReports, await inChunksOf(1))
  expect(exports.counter.statements).toBe(1)
  for (const taken of [1, 2, 3]) {
    await found?.chunks.next()
    await until(() => exports.counter.statements > taken && pool.readings().running === 0)
    expect(exports.counter.statements).toBe(taken + 1)
  }
  await found?.chunks.return()
})

test("lookups that wait for their account's turn share a statement, and each gets its own record", async () => {
  const single = createPool(service.database.url, {
    name: "reader test",
    connections: 2,
    connectionsPerAccount: 1,
    statementTimeoutMs: 10_000,
  })
  const lookups = countingPool(single)
  const reader = newReader({ records: lookups.pool })
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
  const reader = newReader({ lists: lists.pool })
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

test("the reader reads a cached total of a release once", async () => {
  const reader = newReader()
  const release = await newest()
  const total = await reader.total(allReports, release)
  // Only a load may change rows, and it publishes a release. This change does not, so it is not seen.
  await service.sql`delete from reports where hash = 'a1'`
  expect(await reader.total(allReports, release)).toEqual(total)
})
