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

const register = (status: string) =>
  ["tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares"]
    .concat(Array.from({ length: 12 }, (_, nth) => `EL${nth},Mining Licence,${status},,,,1`))
    .join("\n")
const shifted = register('"SMITH, John"')
const emptied =
  "in the files of the source vic, status would become empty for 12 of the 12 tenements whose value is known (100.0%)"

test("A finding has no values of rows, and neither has a reason with HOLDER_NAMES=companies", async () => {
  const recorded = async () =>
    (await bench.sql`select last_reason as reason, last_finding as finding from sources`)[0]
  await bench.load("vic", register("Current"))
  expect(await bench.refusal("vic", shifted)).toContain('no mapping for "SMITH, John" (12). If')
  expect(await recorded()).toEqual({
    reason: expect.stringContaining("SMITH"),
    finding: emptied,
  })
  await bench.refusal("vic", shifted, { holderNames: "companies" })
  expect(await recorded()).toEqual({ reason: emptied, finding: emptied })
  await bench.load("vic", register("Current"))
  expect(await recorded()).toEqual({ reason: null, finding: null })
})

test("The finding of a load that is refused for its time names the time", async () => {
  const rows = `${header}QZA,Alpha,true\n`
  const findingOf = async (observed: string) => {
    await bench.refusal("companies", rows, { observed })
    return (await bench.sql`select last_finding as finding from sources`)[0]?.finding
  }
  await bench.load("companies", rows, { observed: "2020-01-02" })
  expect(await findingOf("2020-01-01")).toBe(
    "the files are of 2020-01-01T00:00:00Z, before those of the last load (2020-01-02T00:00:00Z)",
  )
  expect(await findingOf("2999-01-01")).toBe(
    "the time of the files is in the future (2999-01-01T00:00:00Z)",
  )
})

test("A dry run is not counted", async () => {
  await bench.load("companies", `${header}QZA,Alpha,true\n`, { dryRun: true })
  await bench.refusal("companies", "nothing,of,this\n", { dryRun: true })
  expect(await totals()).toEqual([])
})
