/** An export of a large area reads its rows once, not once for each of its chunks. */
import { expect, test } from "bun:test"
import { fillPlaceholders } from "drizzle-orm"
import { drizzle } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { noRelease } from "../../../src/data/reader/releases.ts"
import { bindRelease, createStatements } from "../../../src/data/reader/statements.ts"
import { filterOf, orderOf } from "../../../src/data/resources/resource.ts"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { databaseOfFile } from "../../support/of-file.ts"

const rows = 40_000
const { sql, url } = await databaseOfFile()
const client = postgres(url, { max: 1 })
await sql.unsafe(`
  insert into tenements (id, tenement_id, state, holder_keys, source, since_release, geometry, bounds)
  select lpad(g::text, 6, '0'), g, 'WA', '{}', 'test', 0, g, box(point(x, y), point(x + 1000, y + 1000))
  from (select g, 115000000 + g * 7919::bigint % 30000000 as x, -35000000 + g * 104729::bigint % 20000000 as y
    from generate_series(1, ${rows}) g) g;
  analyze`)

test.each(["current", "asOf"] as const)(
  "A chunk of %s rows reads as many rows in their order as it needs",
  async (relation) => {
    const shape = {
      resource: tenements,
      filters: ["bbox"],
      order: orderOf(tenements),
      fieldSet: "usual",
    } as const
    const bbox = filterOf(tenements, "bbox").bind("116,-34,140,-16", {})
    const values = { ...bindRelease(noRelease), bbox, position_0: "001000", limit: 500, offset: 0 }
    const { sql: text, params } = createStatements(drizzle(client)).chunk(shape, relation, [])
    const literals = fillPlaceholders(params, values).map((value) =>
      typeof value === "number" ? value : `'${value}'`,
    )
    await sql.unsafe(`prepare measured as ${text}`)
    const plan = await sql.unsafe(`explain (analyze, format json) execute measured(${literals})`)
    await sql`deallocate measured`
    const read = rowsReadIn(plan[0]?.["QUERY PLAN"][0].Plan)
    expect(read < 8 * values.limit ? "few" : read).toBe("few")
  },
)

/** The rows that the scans of a plan found or left out. */
function rowsReadIn(node: Record<string, unknown>): number {
  const { Plans = [], "Relation Name": table } = node
  const own = ["Actual Rows", "Rows Removed by Filter"].map((name) => Number(node[name] ?? 0))
  const below = Array.isArray(Plans) ? Plans.map(rowsReadIn) : []
  return [...(table === undefined ? [] : own), ...below].reduce((sum, count) => sum + count, 0)
}
