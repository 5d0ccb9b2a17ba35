/** The cost of updated_since and removed_since depends on how much changed, not on how much there is. */
import { expect, test } from "bun:test"
import { fillPlaceholders } from "drizzle-orm"
import { drizzle } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import type { Relation } from "../../../src/data/reader/relations.ts"
import type { Query } from "../../../src/data/reader/rows.ts"
import {
  bindRelease,
  createStatements,
  type ListShape,
} from "../../../src/data/reader/statements.ts"
import { explained } from "../../../src/data/resources/explained.ts"
import { reports } from "../../../src/data/resources/reports.ts"
import { keyColumn, orderOf } from "../../../src/data/resources/resource.ts"
import { databaseOfFile } from "../../support/of-file.ts"

const rows = 32_000
const changed = 20
/** A few for each changed row in the table, its history and their indexes. */
const mostBuffers = 420

const { sql, url } = await databaseOfFile()
const statements = createStatements(drizzle(postgres(url, { max: 1 })))
const columns =
  "hash, asx_code, title, title_folded, type, types_folded, report_group, published_at, url, source"
await sql.unsafe(`
  insert into releases select g, now(), 'test', '{}' from generate_series(1, 4) g;
  insert into reports
  select md5(g::text), 'C' || lpad((g % 900)::text, 4, '0'), 'Quarterly report ' || g, 'quarterly report ' || g,
    'Quarterly', '{quarterly}', 'quarterly', '2026-01-01'::timestamptz - g * interval '1 hour', 'https://example.com', 'test', 1
  from generate_series(1, ${rows}) g;
  insert into reports_history select 'h' || ${columns}, since_release, file, 2 from reports;
  create temporary table touched as select hash, row_number() over () as n from reports order by md5(hash) limit ${2 * changed};
  insert into reports_history select ${columns}, since_release, file, case when n > ${changed} then 3 else 4 end from reports natural join touched;
  update reports set since_release = 3 where hash in (select hash from touched where n > ${changed});
  delete from reports where hash in (select hash from touched where n <= ${changed});
  analyze;
  set plan_cache_mode = force_generic_plan`)

test("Each table has more than twice the pages that a statement may read", async () => {
  const tables = await sql<{ relpages: number }[]>`
    select relpages from pg_class where relname in ('reports', 'reports_history')`
  expect(tables).toHaveLength(2)
  for (const { relpages } of tables) expect(relpages).toBeGreaterThan(2 * mostBuffers)
})

const filters: Record<string, unknown>[] = [
  {},
  { company: "C0042" },
  { type: "quarterly" },
  { search: "%quarterly%" },
  { from: Date.UTC(2000) / 1000, to: Date.UTC(2026) / 1000 },
]

test.each([
  ["updated", "current"],
  ["updated", "asOf"],
  ["removed", "removed"],
] as [kind: "updated" | "removed", relation: Relation][])(
  "%s_since reads %s rows through the index of changes, with any other filters",
  async (kind, relation) => {
    for (const values of filters) {
      const shape: ListShape = {
        resource: reports,
        filters: Object.keys(values),
        order: orderOf(reports),
        fieldSet: "usual",
        since: kind === "updated" ? "changed" : kind,
      }
      const release = bindRelease({ id: 4, publishedAt: 0, identity: "" })
      const bound = { ...values, ...release, since: 2, limit: 50, offset: 0 }
      for (const statement of [
        statements.chunk(shape, relation),
        statements.count(shape, relation),
        statements.facet(shape, "group", relation, false),
      ]) {
        const buffers = await buffersOf(statement, bound)
        expect([kind, relation, values, buffers < mostBuffers ? "few" : buffers]).toEqual([
          kind,
          relation,
          values,
          "few",
        ])
      }
    }
  },
)

const explainedReports = explained(reports)
const explainedShape = (filters: readonly string[]): ListShape => ({
  resource: explainedReports,
  filters,
  order: [{ column: keyColumn(reports), direction: "asc" }],
  fieldSet: "all",
  since: "explained",
})

test.each(["current", "asOf"] as const)(
  "What changed in %s rows is found by a lookup for each changed row, with any other filters",
  async (relation) => {
    const release = bindRelease({ id: 4, publishedAt: 0, identity: "" })
    for (const others of filters) {
      for (const values of [others, { ...others, changed: "title,added" }]) {
        const shape = explainedShape(Object.keys(values))
        const bound = { ...values, ...release, since: 2, limit: 50, offset: 0 }
        for (const statement of [
          statements.page(shape, relation),
          statements.chunk(shape, relation),
          statements.count(shape, relation),
        ]) {
          const buffers = await buffersOf(statement, bound)
          expect([values, buffers < mostBuffers ? "few" : buffers]).toEqual([values, "few"])
        }
      }
    }
  },
)

test.each([
  ["current", "force_generic_plan"],
  ["current", "force_custom_plan"],
  ["asOf", "force_generic_plan"],
  ["asOf", "force_custom_plan"],
] as [relation: Relation, mode: string][])(
  "A part of very many changed %s rows looks up little more than what it has, with %s",
  async (relation, mode) => {
    const { chunk } = statements
    const release = bindRelease({ id: 4, publishedAt: 0, identity: "" })
    const bound = { changed: "added", ...release, since: 0, limit: 500, offset: 0 }
    const changes: ListShape = { ...explainedShape([]), resource: reports, since: "changed" }
    await sql.unsafe(`set plan_cache_mode = ${mode}`)
    const most = (await buffersOf(chunk(changes, relation), bound)) + 8 * bound.limit
    for (const filters of [[], ["changed"]]) {
      const buffers = await buffersOf(chunk(explainedShape(filters), relation), bound)
      expect([filters, buffers < most ? "few" : buffers]).toEqual([filters, "few"])
    }
    await sql`set plan_cache_mode = force_generic_plan`
  },
)

test("The total of a list that only shows what changed looks up no earlier version", () => {
  const { count } = statements
  const { sql: usual } = count({ ...explainedShape([]), since: "changed" }, "current")
  expect(count(explainedShape([]), "current").sql).toBe(usual)
})

test.each(["current", "asOf"] as const)(
  "A lookup by key in %s rows finds a record or its absence",
  async (relation) => {
    const find = statements.find(reports, "usual", relation)
    for (const key of [new Bun.CryptoHasher("md5").update("1").digest("hex"), "absent"]) {
      const values = { ...bindRelease({ id: 4, publishedAt: 0, identity: "" }), keys: `{${key}}` }
      const buffers = await buffersOf(find, values)
      expect([key, buffers < 50 ? "few" : buffers]).toEqual([key, "few"])
    }
  },
)

/** The pages that the statement reads with a generic plan, as prepared statements get one after some runs. */
async function buffersOf(statement: Query, bound: Record<string, unknown>): Promise<number> {
  const { sql: text, params } = statement
  const literals = fillPlaceholders(params, bound).map((value) =>
    typeof value === "number" ? value : `'${value}'`,
  )
  await sql.unsafe(`prepare measured as ${text}`)
  const [row] = await sql.unsafe<{ "QUERY PLAN": { Plan: Record<string, number> }[] }[]>(
    `explain (analyze, buffers, format json) execute measured(${literals})`,
  )
  await sql.unsafe("deallocate measured")
  const plan = row?.["QUERY PLAN"][0]?.Plan
  const hit = plan?.["Shared Hit Blocks"] ?? Number.NaN
  const read = plan?.["Shared Read Blocks"] ?? Number.NaN
  return hit + read
}
