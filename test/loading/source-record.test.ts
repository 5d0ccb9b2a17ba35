/** Each source records its loads by outcome, with their time. */
import { expect, test } from "bun:test"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const totals = async () =>
  (
    await bench.sql`select concat_ws(' ', name, resource, outcome, total->'loads') as text
      from sources, jsonb_each(totals) as each(outcome, total) order by 1`
  ).map(({ text }) => text)

const header = "asx_code,company_name,is_active\n"

test("Concurrent loads are all counted, rejected ones included", async () => {
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
  const rows = await bench.sql<{ loads: number; seconds: number }[]>`
    select (total->>'loads')::float8 as loads, (total->>'seconds')::float8 as seconds
    from sources, jsonb_each(totals) as each(outcome, total)`
  for (const { loads, seconds } of rows) {
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(wallSeconds * loads)
  }
})

test("A dry run and a command that reads nothing are not counted", async () => {
  await bench.load("companies", `${header}QZA,Alpha,true\n`, { dryRun: true })
  await bench.refusal("companies", "nothing,of,this\n", { dryRun: true })
  await bench.refusal("companies", [])
  expect(await totals()).toEqual([])
})
