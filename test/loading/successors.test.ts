/** A company that changes its code goes on under the new one, with the names that it bore before. */
import { expect, test } from "bun:test"
import { silent } from "../../src/loading/progress.ts"
import { prune } from "../../src/loading/prune.ts"
import { decideSuccessor, readProposedSuccessors } from "../../src/loading/successors.ts"
import { readUnlinked } from "../../src/loading/unlinked.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = '"ASX code","Company name","GICs industry group","Listing date","Market Cap"'
const row = (code: string, name: string, date = "12/09/2018") =>
  `"${code}","${name}","Materials","${date}",5`
const other = row("QZB", "Quarry Beta NL", "01/02/2003")
const load = (day: number, ...rows: string[]) =>
  bench.load("asx-directory", [header, ...rows, other, ""].join("\n"), {
    acceptShrink: true,
    observed: `2026-01-${String(day).padStart(2, "0")}`,
  })
/** Loads the same rows on several days. */
async function loadDaily(from: number, to: number, ...rows: string[]) {
  for (let day = from; day <= to; day++) await load(day, ...rows)
}
const holders = (...names: string[]) =>
  bench.load(
    "tenements",
    `id,tenement_id,state,holder_name\n${names.map((name, n) => `t${n},E ${n},WA,${name}\n`).join("")}`,
  )
const codes = bench.linkedCodes
const successors = async () =>
  (
    await bench.sql`select asx_code, is_active, successor from companies
      where successor is not null order by 1`
  ).map(({ asx_code, is_active, successor }) => `${asx_code} ${is_active} ${successor}`)
const proposed = async () =>
  (await readProposedSuccessors(bench.url)).map(
    ({ predecessor, successor }) => `${predecessor} ${successor}`,
  )
const decide = (predecessor: string, successor: string, isRight: boolean) =>
  decideSuccessor(bench.url, { predecessor, successor, isRight }, silent)

/** Totals are those of the lists, whatever the links are. */
const expectTotals = async () => expect(await bench.companiesOfOtherTotals()).toEqual([])

test("equal names link the successor once the old code has ended", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD", "Quarry Pits")
  await bench.load("subsidiaries", "id,name,parent_asx_code\ns1,Quarry Pits,QZA\n")
  await loadDaily(2, 4, row("QZN", "Quarry Alpha Ltd"))
  expect(await successors()).toEqual(["QZA false QZN"])
  expect(await codes()).toEqual(["QZN", "QZN"])
  await load(5, row("QZN", "Renamed Limited"))
  expect(await codes()).toEqual(["QZN", "QZN"])
  expect(await proposed()).toEqual([])
  await expectTotals()
})

test("A former name of either code links the successor", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"), row("QZC", "Quarry Gamma NL", "01/01/2011"))
  await load(2, row("QZA", "Renamed Limited"), row("QZC", "Quarry Gamma NL", "01/01/2011"))
  await loadDaily(3, 5, row("QZN", "Quarry Alpha Ltd"))
  expect(await successors()).toEqual(["QZA false QZN"])
  await holders("RENAMED LTD", "Quarry Alpha Limited", "QUARRY GAMMA NL")
  expect(await codes()).toEqual(["QZN", "QZN", "QZC"])
})

test("The service proposes other pairs to an operator, whose confirmation links the old names", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await load(2, row("QZA", "Quarry Alpha Two Limited"))
  await holders("QUARRY ALPHA LTD", "Quarry Alpha Two Limited", "Renamed Limited")
  await loadDaily(3, 5, row("QZN", "Renamed Limited"), row("QZO", "Unrelated Limited"))
  expect(await codes()).toEqual(["QZA", "QZA", "QZN"])
  expect(await readProposedSuccessors(bench.url)).toMatchObject([
    {
      predecessor: "QZA",
      former_company: "Quarry Alpha Two Limited",
      successor: "QZN",
      company: "Renamed Limited",
      listing_date: "2018-09-12",
      missing_since: "2026-01-03T00:00:00Z",
      appeared_at: "2026-01-03T00:00:00Z",
    },
    { predecessor: "QZA", successor: "QZO" },
  ])
  expect(await decide("QZA", "QZO", false)).toEqual({ value: null, unconfirmed: 0 })
  expect(await proposed()).toEqual(["QZA QZN"])
  const releases = await bench.releases()
  expect(await decide("QZA", "QZN", true)).toEqual({ value: releases + 1, unconfirmed: 0 })
  expect(await codes()).toEqual(["QZN", "QZN", "QZN"])
  expect(await successors()).toEqual(["QZA false QZN"])
  const again = await decide("QZA", "QZN", true).catch((error: unknown) => String(error))
  expect(again).toContain("Cannot decide whether QZN is the successor of QZA")
  await expectTotals()
})

test("a later decision on a successor replaces an earlier one", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  await loadDaily(2, 4, row("QZN", "Quarry Alpha Ltd"))
  await load(5, row("QZN", "Renamed Limited"))
  expect([await codes(), await successors()]).toEqual([["QZN"], ["QZA false QZN"]])
  expect((await decide("QZA", "QZN", false)).value).toBe(await bench.releases())
  await load(6, row("QZN", "Renamed Again Limited"))
  expect([await codes(), await successors(), await proposed()]).toEqual([["QZA"], [], []])
  expect((await decide("QZA", "QZN", true)).value).toBe(await bench.releases())
  expect([await codes(), await successors()]).toEqual([["QZN"], ["QZA false QZN"]])
  await expectTotals()
})

test.each([
  ["of another listing date", 3, row("QZN", "Quarry Alpha Limited", "13/09/2018")],
  ["that appeared more than seven days later", 10, row("QZN", "Quarry Alpha Limited")],
])("a code %s is no successor", async (_, day, successor) => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await loadDaily(2, day - 1)
  await loadDaily(day, day + 2, successor)
  expect([await successors(), await proposed()]).toEqual([[], []])
})

test("a code that appears on the seventh day is a successor", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await loadDaily(2, 8)
  await load(9, row("QZN", "Quarry Alpha Limited"))
  expect(await successors()).toEqual(["QZA false QZN"])
})

test("A code that returns loses its successor, and owns its name", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  await loadDaily(2, 4, row("QZN", "Quarry Alpha Limited"))
  expect(await codes()).toEqual(["QZN"])
  await loadDaily(5, 7, row("QZA", "Quarry Alpha Limited"))
  expect(await successors()).toEqual(["QZN false QZA"])
  expect(await codes()).toEqual(["QZA"])
})

test("A chain of codes links to the last one, confirmed in any order and after pruning", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD", "Second Limited")
  await loadDaily(2, 4, row("QZN", "Second Limited"))
  await loadDaily(5, 7, row("QZO", "Third Limited"))
  await decide("QZN", "QZO", true)
  expect(await codes()).toEqual(["QZA", "QZO"])
  await bench.sql`update releases set published_at = published_at - interval '90 days'`
  await prune(bench.url, 1)
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZO", "QZO"])
  await expectTotals()
})

test("the successor keeps the names when the old code is another company's", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD", "Strangers Limited")
  await loadDaily(2, 4, row("QZN", "Renamed Limited"))
  await load(6, row("QZN", "Renamed Limited"), row("QZA", "Strangers Limited", "01/01/2026"))
  expect(await codes()).toEqual(["", "QZA"])
  expect(await proposed()).toEqual(["QZA QZN"])
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZN", "QZA"])
  expect(await successors()).toEqual([])
})

test("a name does not link to a code whose listing date has changed with it", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  await load(2, row("QZA", "Strangers Limited", "01/01/2026"))
  expect(await codes()).toEqual([""])
  expect((await readUnlinked(bench.url)).map(({ name }) => name)).toEqual(["QUARRY ALPHA LTD"])
})

test("A name that changes while only the company's rights are listed still links to it", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"), row("QZAN", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  await loadDaily(2, 4, row("QZAN", "Quarry Alpha Limited"))
  await loadDaily(5, 8, row("QZA", "Renamed Limited"))
  expect(await codes()).toEqual(["QZA"])
})
