/** What a list's statement reads is found by an index, for every filter, and costs as much as the page has rows. */
import { describe, expect, test } from "bun:test"
import { fillPlaceholders, is, sql as raw, SQL } from "drizzle-orm"
import { PgDialect } from "drizzle-orm/pg-core"
import { drizzle } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { readConfig } from "../../../src/config.ts"
import type { Pool } from "../../../src/db/pool/pool.ts"
import type { Query } from "../../../src/db/reader/rows.ts"
import { bindPosition } from "../../../src/db/reader/seek.ts"
import { bindRelease, createStatements, type ListShape } from "../../../src/db/reader/statements.ts"
import { reports } from "../../../src/resources/reports.ts"
import { orderOf, type Resource } from "../../../src/resources/resource.ts"
import { tenements } from "../../../src/resources/tenements.ts"
import { createPools } from "../../../src/service/pools.ts"
import { databaseOfFile } from "../../support/of-file.ts"
import { testDatabase } from "../../support/postgres.ts"

const rows = 60_000
/** Those of a page, each on another page of the table, and the index's. */
const mostBuffersOfPage = 400

const statements = createStatements(drizzle(postgres("postgres://nobody@127.0.0.1:1/none")))

const { sql, url } = await databaseOfFile(testDatabase(), {
  // As the service has it for lists.
  connection: { plan_cache_mode: "force_custom_plan" },
})
await sql.unsafe(`
  insert into releases values (1, now(), 'test', '{}');
  insert into tenements (id, tenement_id, state, status, status_folded, type_folded, holder_name_folded, holder_keys, grant_date, expiry_date, area_km2, source, since_release)
  select md5(g::text), 'E1/1', (array['WA', 'SA', 'NT', 'QLD'])[1 + g % 4], 'Granted', 'status ' || g % 7, 'type ' || g % 11,
    'holder ' || md5((g % 900)::text), '{}', day, day + 3650, area, 'test', 1
  from generate_series(1, ${rows}) g, lateral (
    select case when g % 10 > 0 then '2010-01-01'::date + g % 5000 end as day, case when g % 10 > 0 then g % 1000 end as area) as known;
  insert into reports (hash, asx_code, title, title_folded, types_folded, published_at, source, since_release)
  select md5(g::text), 'C' || lpad((g % 900)::text, 4, '0'), 'Report', 'report ' || md5(g::text),
    array[case when g % 5000 = 0 then 'rare' else 'frequent' end], '2026-01-01'::timestamptz - g * interval '1 hour', 'test', 1
  from generate_series(1, ${rows}) g`)
// All of its values, or the estimate of a rare one depends on whether it is in the sample.
await sql`alter table tenements alter column holder_name_folded set statistics 1000`
// Index-only scans need the visibility map.
await sql`vacuum analyze tenements`
await sql`vacuum analyze reports`

interface Plan {
  "Node Type": string
  "Relation Name"?: string
  "Index Name"?: string
  "Shared Hit Blocks": number
  "Shared Read Blocks": number
  "Actual Loops": number
  "Actual Rows": number
  Plans?: Plan[]
}

const dialect = new PgDialect()

const queryOf = (statement: Query | SQL): Query =>
  is(statement, SQL) ? dialect.sqlToQuery(statement) : statement

/** What the statement does, and how many pages of the database it touches. */
async function explained(statement: Query | SQL, bound: Record<string, unknown>) {
  const { sql: text, params } = queryOf(statement)
  const values = { ...bindRelease({ id: 1, publishedAt: 0, identity: "" }), ...bound }
  const literals = fillPlaceholders(params, values).map((value) =>
    typeof value === "number" ? value : `'${value}'`,
  )
  await sql.unsafe(`prepare explained as ${text}`)
  const [row] = await sql.unsafe<{ "QUERY PLAN": { Plan: Plan }[] }[]>(
    `explain (analyze, buffers, format json) execute explained(${literals})`,
  )
  await sql.unsafe("deallocate explained")
  const plan = row?.["QUERY PLAN"][0]?.Plan
  if (!plan) throw new Error("EXPLAIN returned no plan")
  const nodes = nodesOf(plan).filter((node) => node["Actual Loops"] > 0)
  const scans = nodes.filter(
    ({ "Relation Name": name }) => name !== undefined && !ofAllReads.includes(name),
  )
  return {
    buffers: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
    /** How the tables of the data are read. */
    scans: scans.map((node) => node["Node Type"]),
    /** How many rows of them the statement reads. */
    rows: scans.reduce((sum, node) => sum + node["Actual Rows"] * node["Actual Loops"], 0),
    indexes: nodes.flatMap((node) => node["Index Name"] ?? []),
  }
}

/** Tables of a few rows, whatever is read. */
const ofAllReads = ["releases", "temporary_codes"]

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const shapeOf = (
  resource: Resource,
  bound: Record<string, unknown>,
  byScan: readonly string[] = [],
): ListShape => ({
  resource,
  filters: Object.keys(bound),
  byScan,
  order: orderOf(resource),
  updated: false,
  removed: false,
})

const filtered: [name: string, resource: Resource, bound: Record<string, unknown>][] = [
  ["tenements", tenements, {}],
  ["tenements of a state", tenements, { state: "WA" }],
  ["tenements of a status", tenements, { status: "status 1" }],
  ["tenements of a state and status", tenements, { state: "WA", status: "status 1" }],
  ["tenements of a type", tenements, { type: "type 1" }],
  [
    "tenements that expire in a month",
    tenements,
    { expires_from: "2026-03-01", expires_to: "2026-03-31" },
  ],
  ["reports", reports, {}],
  ["reports of a company", reports, { company: "C0001" }],
  ["reports of a frequent type", reports, { type: "frequent" }],
  ["reports of a rare type", reports, { type: "rare" }],
  ["reports of a day", reports, { from: "2025-06-01", to: "2025-06-01" }],
]

const terms: typeof filtered = [
  ["tenements of a holder", tenements, { holder: "%c4ca4238%" }],
  ["reports of a rare term", reports, { search: "%c4ca4238%" }],
  ["reports of a frequent term", reports, { search: "%report%" }],
]

/** A position about halfway through its lists. */
const positionIn = (resource: Resource): string[] => {
  const key = "8".repeat(32)
  return resource === tenements ? [key] : ["2023-01-01T00:00:00Z", key]
}

describe.each(filtered)("%s", (_, resource, bound) => {
  const shape = shapeOf(resource, bound)

  test("the first page is read by an index, and only it", async () => {
    const plan = await explained(statements.rows(shape, "current"), {
      ...bound,
      limit: 50,
      offset: 0,
    })
    expect(plan.scans).not.toContain("Seq Scan")
    expect(plan.buffers).toBeLessThan(mostBuffersOfPage)
  })

  test("a page from an anchor skips few rows, however deep it is", async () => {
    const position = positionIn(resource)
    const statement = statements.rows(shape, "current", position)
    const values = { ...bound, ...bindPosition(position), limit: 50, offset: 999 }
    const plan = await explained(statement, values)
    expect(plan.scans).not.toContain("Seq Scan")
    // At worst each skipped row is on another page of the table.
    expect(plan.buffers).toBeLessThan(mostBuffersOfPage + 10 * 999)
  })
})

test.each(terms)("a page of %s reads a bounded part of the table", async (_, resource, bound) => {
  const shape = shapeOf(resource, bound)
  const position = positionIn(resource)
  for (const after of [undefined, position]) {
    const statement = statements.page(shape, "current", after)
    const values = { ...bound, ...bindPosition(after ?? []), limit: 50, offset: 50 }
    const plan = await explained(statement, values)
    expect(plan.scans).not.toContain("Seq Scan")
    expect(plan.rows).toBeLessThan(4_000 + 200)
  }
})

test.each([...filtered.slice(0, 5), ...filtered.slice(6, 8)])(
  "anchors of %s are read from an index alone",
  async (_, resource, bound) => {
    const one = { ...bound, limit: 1, offset: 999 }
    const plan = await explained(statements.positions(shapeOf(resource, bound), "current"), one)
    expect(plan.scans).toEqual(["Index Only Scan"])
    const position = positionIn(resource)
    const further = statements.positions(shapeOf(resource, bound), "current", position)
    const values = { ...one, ...bindPosition(position) }
    expect((await explained(further, values)).scans).toEqual(["Index Only Scan"])
  },
)

describe.each([
  ["grant_date", { asc: ["2020-01-01", "infinity"], desc: ["-7305", "2147483647"] }],
  ["expiry_date", { asc: ["2025-01-01", "infinity"], desc: ["-9132", "2147483647"] }],
  ["area_km2", { asc: ["500", "infinity"], desc: ["-500", "infinity"] }],
])("tenements sorted by %s", (sort, positions) => {
  test.each(["asc", "desc"] as const)(
    "%s: a page is read by an index at any depth",
    async (order) => {
      const shape = { ...shapeOf(tenements, {}), order: orderOf(tenements, sort, order) }
      for (const value of positions[order]) {
        const position = [value, "8".repeat(32)]
        const values = { ...bindPosition(position), limit: 50, offset: 99 }
        const plan = await explained(statements.rows(shape, "current", position), values)
        expect(plan.indexes).toContain(`tenements_by_${sort}_${order}`)
        expect(plan.buffers).toBeLessThan(mostBuffersOfPage + 10 * 99)
      }
    },
  )
})

test("tenements of a state and status are counted in their index", async () => {
  const bound = { state: "WA", status: "status 1" }
  const plan = await explained(statements.count(shapeOf(tenements, bound), "current"), bound)
  expect(plan.scans).not.toContain("Seq Scan")
  expect(plan.indexes).toContain("tenements_by_state_and_status")
})

test.each([
  ["holder", tenements, "tenements_by_holder"],
  ["search", reports, "reports_by_title"],
] as const)(
  "a %s without a trigram scans the table once, never the trigram index",
  async (name, resource, index) => {
    const pages = (await sql`select relpages from pg_class where relname = ${resource.name}`)[0]
      ?.relpages
    const bound = { [name]: "%zx%" }
    const shape = shapeOf(resource, bound, [name])
    const found = await explained(statements.count(shape, "current"), bound)
    expect(found.indexes).not.toContain(index)
    expect(found.buffers).toBeWithin(pages, 1.1 * pages + 50)
  },
)

test.each([
  [tenements, "id"],
  [reports, "hash"],
] as const)("a page of few keys reads its rows alone", async (resource, key) => {
  const found = await sql.unsafe(
    `select ${key} as key from ${resource.name} order by md5(${key}) limit 50`,
  )
  const keys = found.map((row) => row.key).join(" ")
  const bound = { [resource === tenements ? "holder" : "search"]: "%e%" }
  const statement = statements.rowsOfKeys(shapeOf(resource, bound, Object.keys(bound)), "current")
  const plan = await explained(statement, { ...bound, keys, limit: 50, offset: 0 })
  expect(plan.scans).not.toContain("Seq Scan")
  expect(plan.buffers).toBeLessThan(mostBuffersOfPage)
})

test("the service plans the statements of lists for the values that they bind", async () => {
  const pools = createPools(readConfig({}), url, {
    ensure: () => {},
    begin: () => () => {},
  })
  const shown = async (pool: Pool, name: string) =>
    (
      await pool.runAlone(null, () =>
        pool.db.execute<Record<string, string>>(raw.raw(`show ${name}`)),
      )
    )[0]?.[name]
  try {
    for (const pool of [pools.lists, pools.exports]) {
      expect(await shown(pool, "plan_cache_mode")).toBe("force_custom_plan")
    }
    // A record is found by its key in one way only.
    expect(await shown(pools.records, "plan_cache_mode")).toBe("auto")
    expect(await shown(pools.lists, "work_mem")).toBe("64MB")
  } finally {
    await Promise.all(Object.values(pools).map((pool) => pool.close()))
  }
})
