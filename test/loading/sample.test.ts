/** The generated sample data loads without a rejected row, and is stored value by value. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { loadRecords } from "../../src/loading/load.ts"
import { sampleData } from "../sample/sample-data.ts"
import { type Workbench, workbench } from "./workbench.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())

const sizes = { companies: 60, subsidiaries: 120, tenements: 900, reports: 1500 }

function loadSample(options: { seed?: number; dryRun?: boolean } = {}) {
  const { seed, ...others } = options
  const sample = sampleData({ sizes, ...(seed === undefined ? {} : { seed }) })
  return loadRecords({
    url: bench.url,
    source: "sample",
    records: {
      companies: sample.companies(),
      subsidiaries: sample.subsidiaries(),
      tenements: sample.tenements(),
      reports: sample.reports(),
    },
    rejectsDir: bench.directory,
    ...others,
  })
}

test("records of all four resources are one release, none of them rejected", async () => {
  const summary = await loadSample()
  expect(bench.rejects()).toEqual([])
  expect(summary.release).toBe(1)
  const added = Object.entries(summary.resources).map(([name, figures]) => [name, figures?.added])
  expect(Object.fromEntries(added)).toEqual(sizes)
  expect(summary.links?.linked).toBeGreaterThan(100)
  const [unequal] = await bench.sql`
    select count(*)::integer as count from companies c
    where total_tenements <> (select count(*) from tenements t where t.asx_codes @> array[c.asx_code::text])`
  expect(unequal?.count).toBe(0)
  expect((await loadSample()).release).toBeNull()
})

test("a release stores the generated records, value by value", async () => {
  const stored = await bench.sql`
    select id, tenement_id, state, status, type, holder_name, grant_date::text, expiry_date::text, area_km2
    from tenements`
  const byId = new Map(stored.map((row) => [row.id, { ...row }]))
  for (const record of sampleData({ sizes }).tenements()) {
    expect(byId.get(record.id)).toEqual({ ...record })
  }
})
