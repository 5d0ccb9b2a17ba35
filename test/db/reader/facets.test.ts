/** A facet counts the records of a list by their values, exactly as the list has them at its release. */
import { beforeEach, expect, test } from "bun:test"
import { cacheSizes } from "../../../src/db/cache.ts"
import { createPool, type Pool } from "../../../src/db/pool/pool.ts"
import { type Counts, tally, type ValueCount } from "../../../src/db/reader/facets.ts"
import { createReader } from "../../../src/db/reader/reader.ts"
import { createReleases } from "../../../src/db/reader/releases.ts"
import type { List } from "../../../src/db/reader/statements.ts"
import { orderOf } from "../../../src/resources/resource.ts"
import { tenements } from "../../../src/resources/tenements.ts"
import { awkward, type TenementFixture } from "../../support/fixtures.ts"
import { afterFile } from "../../support/of-file.ts"
import { serviceOfFile } from "../../support/service.ts"
import { countingPool } from "./counting-pool.ts"

const service = await serviceOfFile()
const pool = createPool(service.database.url, {
  name: "facets test",
  connections: 3,
  statementTimeoutMs: 10_000,
})
const releases = createReleases(pool)
afterFile(() => pool.close())

beforeEach(() => service.publish(awkward))

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
/** The counts by state, from the fixtures: spellings of a state do not differ. */
function expected(records: readonly TenementFixture[]): ValueCount[] {
  const counts = Map.groupBy(records, ({ state }) => state)
  return [...counts].map(([value, { length }]) => ({ value, count: length })).sort(byValue)
}

const byValue = (one: ValueCount, other: ValueCount) =>
  String(one.value) < String(other.value) ? -1 : 1

const sorted = (counts: Counts | null) => counts?.slice().toSorted(byValue)

test("spellings that a filter takes as equal count together, under the most frequent", () => {
  const groups = [["granted", 2] as const, ["Granted", 3] as const, ["GRANTED", 1] as const]
  expect(tally([...groups, ["pending", 6]])).toEqual([
    { value: "Granted", count: 6 },
    { value: "pending", count: 6 },
  ])
})

test("a record with several values counts once for each", () => {
  const groups = [["Drilling; Results", 2] as const, ["drilling; Drilling", 1] as const]
  expect(tally([...groups, [";", 4]], true)).toEqual([
    { value: ";", count: 4 },
    { value: "Drilling", count: 3 },
    { value: "Results", count: 2 },
  ])
})

test("a facet is of its release, although newer ones are published, even by a reader that has seen none", async () => {
  const reader = newReader()
  const before = await newest()
  await service.publish({ ...awkward, tenements: awkward.tenements.slice(0, 2) })
  await service.publish({ ...awkward, tenements: [] })
  for (const each of [reader, newReader(), reader]) {
    expect(sorted(await each.facet(all, "state", before))).toEqual(expected(awkward.tenements))
  }
  expect(await reader.facet(all, "state", await newest())).toHaveLength(0)
})

test("concurrent callers share a statement, and later ones need none", async () => {
  const { counter, pool: counts } = countingPool(pool)
  const reader = newReader(counts)
  const options = await Promise.all([newest(1), newest(2), newest(1)])
  await Promise.all(options.map((each) => reader.facet(all, "type", each)))
  await reader.facet(all, "type", await newest(3))
  expect(counter.statements).toBe(1)
  await reader.facet(all, "state", await newest(3))
  await service.publish(awkward)
  await reader.facet(all, "type", await newest())
  expect(counter.statements).toBe(3)
})

test("too many values are not counted, and that result is cached", async () => {
  await publishStatuses(50_001)
  const { counter, pool: counts } = countingPool(pool)
  const reader = newReader(counts)
  expect(await reader.facet(all, "status", await newest())).toBeNull()
  expect(await reader.facet(all, "status", await newest())).toBeNull()
  expect(counter.statements).toBe(1)
  const refused = await service.get("/facets/tenements/status")
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { details: { parameters: [{ parameter: "status" }] } } },
  ])
  await service.sql`delete from tenements where id = 'many-1'`
  expect(await newReader().facet(all, "status", await newest())).toHaveLength(50_000)
})

test("holders are counted however many they are, and a page of them is read from the cache", async () => {
  await publishStatuses(60_000)
  const { counter, pool: counts } = countingPool(pool)
  const reader = newReader(counts, 64 * 1024 * 1024)
  const options = await newest()
  const first = await reader.facet(all, "held_by", options)
  expect(first?.slice(0, 2)).toEqual([
    { value: "Holder 1", count: 1 },
    { value: "Holder 10", count: 1 },
  ])
  const again = await reader.facet(all, "held_by", options)
  expect([again?.length, again?.slice(59_999, 60_100), again?.slice(60_000, 60_100)]).toEqual([
    60_000,
    [{ value: "Holder 9999", count: 1 }],
    [],
  ])
  expect(counter.statements).toBe(1)
})

/** Tenements of as many statuses and holders. */
async function publishStatuses(count: number): Promise<void> {
  await service.publish({ ...awkward, tenements: [] })
  await service.sql`
    insert into tenements (id, tenement_id, state, status, status_folded, holder_name, holder_keys, source, since_release)
    select 'many-' || n, 'E1', 'WA', 'Status ' || n, 'status ' || n, 'Holder ' || n, array['HOLDER ' || n], 'test',
      (select max(id) from releases)
    from generate_series(1, ${count}::integer) n`
}

test("a facet of a deleted release is an error, not empty", async () => {
  const release = { id: 999_999, publishedAt: 12, identity: "other" }
  const reading = newReader().facet(all, "status", { release, account: null })
  await expect(reading).rejects.toThrow("no longer available")
})
