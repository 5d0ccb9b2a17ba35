/** A breakdown counts the records of a list by their values, exactly as the list has them at its release. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { cacheSizes } from "../../../src/db/cache.ts"
import { createPool, type Pool } from "../../../src/db/pool/pool.ts"
import type { Group } from "../../../src/db/reader/breakdown.ts"
import { createReader } from "../../../src/db/reader/reader.ts"
import { createReleases, type Releases } from "../../../src/db/reader/releases.ts"
import type { List } from "../../../src/db/reader/statements.ts"
import { companies } from "../../../src/resources/companies.ts"
import { orderOf } from "../../../src/resources/resource.ts"
import { belongsToCompany, tenements } from "../../../src/resources/tenements.ts"
import { awkward, type Fixtures, tenementsOf } from "../../support/fixtures.ts"
import { type TestService, testService } from "../../support/service.ts"
import { countingPool } from "./counting-pool.ts"

let service: TestService
let pool: Pool
let releases: Releases

beforeAll(async () => {
  service = await testService()
  pool = createPool(service.database.url, {
    name: "breakdown test",
    connections: 3,
    statementTimeoutMs: 10_000,
  })
  releases = createReleases(pool)
})

beforeEach(() => service.publish(awkward))

afterAll(async () => {
  await pool.close()
  await service.stop()
})

const newReader = (lists: Pool = pool, cacheBytes = 1_000_000) =>
  createReader({ records: pool, lists, exports: pool }, cacheSizes(cacheBytes))

/** Options that read the newest release, for an account. */
const newest = async (account: number | null = null) => ({
  release: await releases.current(),
  account,
})

const all: List = {
  resource: tenements,
  filters: [],
  order: orderOf(tenements),
  updated: false,
  removed: false,
  bound: {},
  identity: "all tenements",
}
const inWA: List = { ...all, filters: ["state"], bound: { state: "WA" }, identity: "in WA" }
const ofBig: List = {
  ...all,
  parent: { resource: companies, scope: belongsToCompany, key: "BIG" },
  identity: "of BIG",
}
const fields = ["state", "status"]

type Tenement = Fixtures["tenements"][number]

/** The same worked out from the fixtures. */
function expected(records: readonly Tenement[]): string[] {
  const counts = Map.groupBy(records, ({ state, status }) => JSON.stringify([state, status]))
  return [...counts].map(([values, { length }]) => `${values} ${length}`).sort()
}

const readable = (groups: readonly Group[] | null) =>
  groups?.map(({ values, records }) => `${JSON.stringify(values)} ${records}`).sort()

test.each([
  ["all", all, awkward.tenements],
  ["filtered", inWA, awkward.tenements.filter(({ state }) => state === "WA")],
  ["of one company", ofBig, tenementsOf(awkward.tenements, "BIG")],
])("the groups of a list have its records: %s", async (_, list, records) => {
  expect(records.length).toBeGreaterThan(1)
  const groups = await newReader().breakdown(list, fields, await newest())
  expect(readable(groups)).toEqual(expected(records))
})

test("records whose value is unknown are a group of their own", async () => {
  const groups = await newReader().breakdown(all, ["status"], await newest())
  const unknown = awkward.tenements.filter(({ status }) => status === null)
  expect(unknown.length).toBeGreaterThan(0)
  expect(groups).toContainEqual({ values: [null], records: unknown.length })
})

test("a list without records has no groups", async () => {
  const none = { ...all, filters: ["status"], bound: { status: "no such" }, identity: "none" }
  expect(await newReader().breakdown(none, fields, await newest())).toEqual([])
})

test("a breakdown is of its release, although newer ones are published, even by a reader that has seen none", async () => {
  const reader = newReader()
  const before = await newest()
  await service.publish({ ...awkward, tenements: awkward.tenements.slice(0, 2) })
  await service.publish({ ...awkward, tenements: [] })
  for (const each of [reader, newReader(), reader]) {
    expect(readable(await each.breakdown(all, fields, before))).toEqual(expected(awkward.tenements))
  }
  expect(await reader.breakdown(all, fields, await newest())).toEqual([])
})

test("callers that ask at once share a statement, and later ones need none", async () => {
  const { counter, pool: counts } = countingPool(pool)
  const reader = newReader(counts)
  const options = await Promise.all([newest(1), newest(2), newest(1)])
  await Promise.all(options.map((each) => reader.breakdown(all, fields, each)))
  await reader.breakdown(all, fields, await newest(3))
  expect(counter.statements).toBe(1)
  await reader.breakdown(all, ["state"], await newest(3))
  await service.publish(awkward)
  await reader.breakdown(all, fields, await newest())
  expect(counter.statements).toBe(3)
})

test("where values are too many to be shown, there is no breakdown, and that is cached too", async () => {
  const many = Array.from({ length: 5_001 }, (_, index) => ({
    ...(awkward.tenements[0] as Tenement),
    id: `many-${index}`,
    status: `Status ${index}`,
  }))
  await service.publish({ ...awkward, tenements: many })
  const { counter, pool: counts } = countingPool(pool)
  const reader = newReader(counts)
  expect(await reader.breakdown(all, fields, await newest())).toBeNull()
  expect(await reader.breakdown(all, fields, await newest())).toBeNull()
  expect(counter.statements).toBe(1)
  await service.publish({ ...awkward, tenements: many.slice(1) })
  expect(await reader.breakdown(all, fields, await newest())).toHaveLength(5_000)
})

test("a release that is no longer there is refused, not counted as empty", async () => {
  const release = { id: 999_999, publishedAt: 12, identity: "other" }
  const reading = newReader().breakdown(all, fields, { release, account: null })
  await expect(reading).rejects.toThrow("no longer available")
})
