/** A page deep in a list has the records of its place in the list. */
import { expect, test } from "bun:test"
import { cacheSizes } from "../../../src/db/cache.ts"
import { createPool } from "../../../src/db/pool/pool.ts"
import { createReader } from "../../../src/db/reader/reader.ts"
import { createReleases, type Release } from "../../../src/db/reader/releases.ts"
import type { List } from "../../../src/db/reader/statements.ts"
import { companies } from "../../../src/resources/companies.ts"
import { reports } from "../../../src/resources/reports.ts"
import { orderOf, type Resource } from "../../../src/resources/resource.ts"
import { tenements } from "../../../src/resources/tenements.ts"
import { afterFile, databaseOfFile } from "../../support/of-file.ts"
import { seeded } from "../../support/seeded.ts"

const rows = 24_000

const { sql, url } = await databaseOfFile()
await sql.unsafe(
  `
  insert into releases values (1, now(), 'test', '{}');
  insert into companies (asx_code, company_name, company_name_folded, name_key, market_cap_aud, is_active, source, since_release)
  select upper(to_hex(g + 1048576)), 'Name ' || g % 700, 'name ' || g % 700, 'name ' || g % 700,
    case when g % 3 = 0 then null else g % 5000 end, true, 'test', 1 from generate_series(1, ${rows}) g;
  insert into tenements (id, tenement_id, state, status, status_folded, holder_keys, source, since_release)
  select md5(g::text), 'E1/1', (array['WA', 'SA'])[1 + g % 7 / 5], 'Granted', (array['granted', 'pending'])[1 + g % 11 / 10], '{}', 'test', 1
  from generate_series(1, ${rows}) g;
  insert into reports (hash, asx_code, title, title_folded, types_folded, published_at, source, since_release)
  select md5(g::text), 'ABC', 'Report', 'report ' || g % 13 || case when g % 100 = 0 then ' x' else '' end, array['type ' || g % 3], '2026-01-01'::timestamptz - g % 900 * interval '1 hour', 'test', 1
  from generate_series(1, ${rows}) g;
  analyze`,
)
const pool = createPool(url, {
  name: "anchors test",
  connections: 4,
  statementTimeoutMs: 30_000,
  parameters: { plan_cache_mode: "force_custom_plan" },
})

afterFile(() => pool.close())

const newReader = () =>
  createReader({ records: pool, lists: pool, exports: pool }, cacheSizes(8_000_000))

interface Case {
  list: List
  /** The same list in SQL: its condition, and its order. */
  where: string
  order: string
}

const listOf = (
  resource: Resource,
  bound: Record<string, unknown> = {},
  order = orderOf(resource),
  byScan: readonly string[] = [],
): List => ({
  resource,
  filters: Object.keys(bound),
  byScan,
  bound,
  order,
  updated: false,
  removed: false,
  identity: JSON.stringify([
    resource.name,
    bound,
    order.map(({ column, direction }) => [column.name, direction]),
  ]),
})

const newestFirst = "published_at desc, hash"
const cases: Case[] = [
  { list: listOf(tenements), where: "true", order: "id" },
  { list: listOf(tenements, { state: "WA" }), where: "state = 'WA'", order: "id" },
  {
    list: listOf(tenements, { state: "WA", status: "granted" }),
    where: "state = 'WA' and status_folded = 'granted'",
    order: "id",
  },
  { list: listOf(reports), where: "true", order: newestFirst },
  {
    list: listOf(reports, { type: "type 1" }),
    where: "'type 1' = any(types_folded)",
    order: newestFirst,
  },
  // In all rows, in one of 13 and in one of 1,300.
  ...["port", "port 12", "12 x"].map((term) => ({
    list: listOf(reports, { search: `%${term}%` }),
    where: `title_folded like '%${term}%'`,
    order: newestFirst,
  })),
  // Of few rows, of many, and of none.
  ...["x", "t 1", "zz"].map((term) => ({
    list: listOf(reports, { search: `%${term}%` }, orderOf(reports), ["search"]),
    where: `title_folded like '%${term}%'`,
    order: newestFirst,
  })),
  ...(["asc", "desc"] as const).map((direction) => ({
    list: listOf(companies, {}, orderOf(companies, "market_cap", direction)),
    where: "true",
    order: `market_cap_aud ${direction} nulls last, asx_code`,
  })),
]

const keysOf = async ({ list: { resource }, where, order }: Case): Promise<unknown[]> =>
  (
    await sql.unsafe(
      `select ${resource.key} as key from ${resource.name} where ${where} order by ${order}`,
    )
  ).map(({ key }) => key)

const random = seeded(10)

async function compare(
  reader: ReturnType<typeof newReader>,
  release: Release,
  expected: Map<Case, unknown[]>,
) {
  for (const [{ list }, keys] of expected) {
    for (let round = 0; round < 12; round++) {
      const offset = Math.floor(random() * (keys.length + 200))
      const limit = 1 + Math.floor(random() * 100)
      const page = await reader.page(list, { offset, limit }, { release, account: null })
      expect([
        list.identity,
        offset,
        page?.total,
        page?.records.map((record): unknown => record[list.resource.key]),
      ]).toEqual([list.identity, offset, keys.length, keys.slice(offset, offset + limit)])
    }
  }
}

test("random pages are those of the list, in every order, before and after new releases", async () => {
  const reader = newReader()
  const releases = createReleases(pool)
  const before = await releases.current()
  const then = new Map<Case, unknown[]>()
  for (const each of cases) then.set(each, await keysOf(each))
  await compare(reader, before, then)

  for (const { resource } of new Set(cases.map(({ list }) => list))) {
    const { name, key } = resource
    const columns = (
      await sql`select column_name from information_schema.columns where table_name = ${name} order by ordinal_position`
    )
      .map(({ column_name }) => column_name)
      .join(", ")
    const gone = `hashtext(${key}) % 5 = 0`
    await sql.unsafe(`insert into ${name}_history (${columns}, until_release) select ${columns}, 2 from ${name} where ${gone};
      delete from ${name} where ${gone}`)
  }
  await sql`insert into releases values (2, now() + interval '1 second', 'test', '{}')`
  const now = new Map<Case, unknown[]>()
  for (const each of cases) now.set(each, await keysOf(each))
  await compare(reader, await releases.current(), now)
  await compare(reader, before, then)
  await compare(newReader(), before, then)
})
