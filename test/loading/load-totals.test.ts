/** Each load is counted once by its outcome, with the time that it took. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { loadRecords } from "../../src/loading/load.ts"
import { countLoad, type Ended } from "../../src/loading/load-totals.ts"
import { type Workbench, workbench } from "./workbench.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
beforeEach(() => bench.empty())
afterAll(() => bench.close())

const totals = async () =>
  (
    await bench.sql`select concat_ws(' ', source, resource, outcome, loads) as text
      from load_totals order by 1`
  ).map(({ text }) => text)

const header = "asx_code,company_name,is_active\n"

test("loads at once are all counted, those that are refused as well", async () => {
  const good = bench.file("good.csv", `${header}QZA,Alpha,true\n`)
  const bad = bench.file("bad.csv", "nothing,of,this\n1,2,3\n")
  const startedMs = performance.now()
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      await bench.load("companies", [good])
      await bench.refusal("companies", [bad])
    }),
  )
  const wallSeconds = (performance.now() - startedMs) / 1000
  expect(await totals()).toEqual([
    "companies companies published 1",
    "companies companies refused 4",
    "companies companies unchanged 3",
  ])
  const rows = await bench.sql`select loads::float8 as loads, seconds from load_totals`
  for (const { loads, seconds } of rows) {
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(wallSeconds * loads)
  }
})

test("a load of several resources counts for each, by what became of that", async () => {
  const company = { asx_code: "QZA", company_name: "Alpha", is_active: true }
  const records = { companies: [company], reports: [] }
  await loadRecords({ url: bench.url, source: "sample", records })
  expect(await totals()).toEqual(["sample companies published 1", "sample reports unchanged 1"])
})

test("a dry run, and a command that is refused before it reads anything, are not counted", async () => {
  await bench.load("companies", `${header}QZA,Alpha,true\n`, { dryRun: true })
  await bench.refusal("companies", "nothing,of,this\n", { dryRun: true })
  await bench.refusal("companies", [])
  expect(await totals()).toEqual([])
})

test("what is counted is the sum of the times", async () => {
  const ended: Ended = { source: "wa", resource: "tenements", outcome: "published", seconds: 0.25 }
  for (const seconds of [0.25, 1.5, 0]) {
    await bench.sql.begin((sql) => countLoad(sql, { ...ended, seconds }))
  }
  const rows = await bench.sql`select loads::integer as loads, seconds from load_totals`
  expect([...rows]).toEqual([{ loads: 3, seconds: 1.75 }])
})
