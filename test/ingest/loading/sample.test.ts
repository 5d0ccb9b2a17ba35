/** The generated sample data loads without a rejected row, and is stored value by value. */
import { expect, test } from "bun:test"
import { loadSample } from "../../../src/sample/load-sample.ts"
import { sampleData } from "../../../src/sample/sample-data.ts"
import { workbench } from "./workbench.ts"

const bench = await workbench()

const sizes = { companies: 60, subsidiaries: 120, tenements: 900, reports: 1500 }

const loaded = () =>
  loadSample(sampleData({ sizes }), { url: bench.url, rejectsDir: bench.directory })

test("Each of the four sample resources loads as a release without rejected records", async () => {
  const summaries = await loaded()
  expect(bench.rejects()).toEqual([])
  expect(summaries.map(({ release }) => release)).toEqual([1, 2, 3, 4])
  for (const { source, changes } of summaries) {
    expect(changes.added).toBe(sizes[source as keyof typeof sizes])
  }
  expect(summaries[2]?.links?.linked).toBeGreaterThan(100)
  expect(await bench.companiesOfOtherTotals()).toEqual([])
  expect((await loaded()).map(({ release }) => release)).toEqual([null, null, null, null])
})

test("A release stores the generated records, value by value", async () => {
  const stored = await bench.sql`
    select id, tenement_id, state, status, type, holder_name, grant_date::text, expiry_date::text, area_km2
    from tenements`
  const byId = new Map(stored.map((row) => [row.id, { ...row }]))
  for (const record of sampleData({ sizes }).tenements()) {
    expect(byId.get(record.id)).toEqual({ ...record })
  }
})
