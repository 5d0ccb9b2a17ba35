/**
 * A company that changes its code continues under the new one, with its former names. What files of
 * less than six days say of codes, dates and names is no change of a code.
 */
import { expect, test } from "bun:test"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { prune } from "../../../src/ingest/loading/prune.ts"
import {
  decideSuccessor,
  readProposedSuccessors,
  readSuccessorEvidence,
} from "../../../src/ingest/loading/successors.ts"
import { readUnlinked } from "../../../src/ingest/loading/unlinked.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = '"ASX code","Company name","GICs industry group","Listing date","Market Cap"'
const row = (code: string, name: string, date = "12/09/2018") =>
  `"${code}","${name}","Materials","${date}",`
/** Its market capitalisation differs on each day, so that each file changes a record. */
const load = (day: number, ...rows: string[]) =>
  bench.load(
    "asx-directory",
    [
      header,
      ...[...rows, row("QZB", "Quarry Beta NL", "01/02/2003")].map((line) => line + day),
      "",
    ].join("\n"),
    { acceptShrink: true, observed: new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10) },
  )
/** Loads the same rows on the first day and on the last. */
async function loadFrom(from: number, to: number, ...rows: string[]) {
  await load(from, ...rows)
  await load(to, ...rows)
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
const refusal = (predecessor: string, successor: string) =>
  decide(predecessor, successor, true).catch((error: unknown) => String(error))

/** Totals are those of the lists, whatever the links are. */
const expectTotals = async () => expect(await bench.companiesOfOtherTotals()).toEqual([])

test("Equal names link the successor once the old code has ended", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD", "Quarry Pits")
  await bench.load("subsidiaries", "id,name,parent_asx_code\ns1,Quarry Pits,QZA\n")
  await loadFrom(8, 13, row("QZN", "Quarry Alpha Ltd"))
  expect(await successors()).toEqual([])
  await load(14, row("QZN", "Quarry Alpha Ltd"))
  expect(await successors()).toEqual(["QZA false QZN"])
  expect(await codes()).toEqual(["QZN", "QZN"])
  await load(15, row("QZN", "Renamed Limited"))
  expect(await codes()).toEqual(["QZN", "QZN"])
  expect(await proposed()).toEqual([])
  await expectTotals()
})

test("A file that changes no record but agrees with earlier ones links the successor", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  const lines = [
    header,
    `${row("QZN", "Quarry Alpha Ltd")}8`,
    `${row("QZB", "Quarry Beta NL", "01/02/2003")}8`,
  ]
  for (const day of ["08", "09", "11", "14"]) {
    await bench.load("asx-directory", lines.join("\n"), {
      acceptShrink: true,
      observed: `2026-01-${day}`,
    })
  }
  expect(await successors()).toEqual(["QZA false QZN"])
  await expectTotals()
})

test("A former name of either code links the successor", async () => {
  const gamma = row("QZC", "Quarry Gamma NL", "01/01/2011")
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"), gamma)
  await loadFrom(8, 14, row("QZA", "Renamed Limited"), gamma)
  await loadFrom(15, 21, row("QZN", "Quarry Alpha Ltd"))
  expect(await successors()).toEqual(["QZA false QZN"])
  await holders("RENAMED LTD", "Quarry Alpha Limited", "QUARRY GAMMA NL")
  expect(await codes()).toEqual(["QZN", "QZN", "QZC"])
})

test("The service proposes other pairs to an operator, whose confirmation links the old names", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await load(8, row("QZA", "Quarry Alpha Two Limited"))
  await holders("QUARRY ALPHA LTD", "Quarry Alpha Two Limited", "Renamed Limited")
  await loadFrom(9, 15, row("QZN", "Renamed Limited"), row("QZO", "Unrelated Limited"))
  expect(await codes()).toEqual(["QZA", "QZA", "QZN"])
  expect(await readProposedSuccessors(bench.url)).toMatchObject([
    {
      predecessor: "QZA",
      former_company: "Quarry Alpha Two Limited",
      successor: "QZN",
      company: "Renamed Limited",
      listing_date: "2018-09-12",
      missing_since: "2026-01-09T00:00:00Z",
      appeared_at: "2026-01-09T00:00:00Z",
    },
    { predecessor: "QZA", successor: "QZO" },
  ])
  expect(await decide("QZA", "QZO", false)).toEqual({ value: null, unconfirmed: 0 })
  expect(await proposed()).toEqual(["QZA QZN"])
  const releases = await bench.releases()
  expect(await decide("QZA", "QZN", true)).toMatchObject({
    value: { release: releases + 1 },
    unconfirmed: 0,
  })
  expect(await codes()).toEqual(["QZN", "QZN", "QZN"])
  expect(await successors()).toEqual(["QZA false QZN"])
  expect(await refusal("QZA", "QZN")).toContain("Cannot link QZN as the successor of QZA")
  await expectTotals()
})

test("A later decision on a successor replaces an earlier one", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  await loadFrom(8, 14, row("QZN", "Quarry Alpha Ltd"))
  await load(15, row("QZN", "Renamed Limited"))
  expect([await codes(), await successors()]).toEqual([["QZN"], ["QZA false QZN"]])
  expect((await decide("QZA", "QZN", false)).value?.release).toBe(await bench.releases())
  await load(16, row("QZN", "Renamed Again Limited"))
  expect([await codes(), await successors(), await proposed()]).toEqual([["QZA"], [], []])
  expect((await decide("QZA", "QZN", true)).value?.release).toBe(await bench.releases())
  expect([await codes(), await successors()]).toEqual([["QZN"], ["QZA false QZN"]])
  await expectTotals()
})

test.each([
  ["of another listing date", 9, row("QZN", "Quarry Alpha Limited", "13/09/2018")],
  ["that appeared more than seven days later", 16, row("QZN", "Quarry Alpha Limited")],
])("A code %s is not a successor", async (_, day, successor) => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await loadFrom(8, day - 1)
  await loadFrom(day, day + 7, successor)
  expect([await successors(), await proposed()]).toEqual([[], []])
})

test("A code that appears on the seventh day is a successor", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await loadFrom(8, 14)
  await loadFrom(15, 21, row("QZN", "Quarry Alpha Limited"))
  expect(await successors()).toEqual(["QZA false QZN"])
})

test("A code that returns loses its successor, and owns its name", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  await loadFrom(8, 14, row("QZN", "Quarry Alpha Limited"))
  expect(await codes()).toEqual(["QZN"])
  await loadFrom(15, 21, row("QZA", "Quarry Alpha Limited"))
  expect(await successors()).toEqual(["QZN false QZA"])
  expect(await codes()).toEqual(["QZA"])
})

test("A chain of codes links to the last one, confirmed in any order and after pruning", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD", "Second Limited")
  await loadFrom(8, 14, row("QZN", "Second Limited"))
  await loadFrom(15, 21, row("QZO", "Third Limited"))
  await decide("QZN", "QZO", true)
  expect(await codes()).toEqual(["QZA", "QZO"])
  await bench.sql`update releases set published_at = published_at - interval '90 days'`
  await prune(bench.url, 1)
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZO", "QZO"])
  expect(await refusal("QZN", "QZA")).toContain("Cannot link")
  await expectTotals()
})

test("The successor keeps the names when the old code is another company's", async () => {
  await loadFrom(1, 7, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD", "Strangers Limited")
  await loadFrom(8, 14, row("QZN", "Renamed Limited"))
  await load(15, row("QZN", "Renamed Limited"), row("QZA", "Strangers Limited", "01/01/2026"))
  expect(await codes()).toEqual(["", "QZA"])
  expect(await proposed()).toEqual(["QZA QZN"])
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZN", "QZA"])
  expect(await successors()).toEqual([])
})

test("A name does not link to a code whose listing date has changed with it", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  await load(2, row("QZA", "Strangers Limited", "01/01/2026"))
  expect(await codes()).toEqual([""])
  expect((await readUnlinked(bench.url)).map(({ name }) => name)).toEqual(["QUARRY ALPHA LTD"])
})

test("A name that changes while only the company's rights are listed still links to it", async () => {
  await load(1, row("QZA", "Quarry Alpha Limited"), row("QZAN", "Quarry Alpha Limited"))
  await holders("QUARRY ALPHA LTD")
  for (const day of [2, 3, 4]) await load(day, row("QZAN", "Quarry Alpha Limited"))
  for (const day of [5, 6, 7, 8]) await load(day, row("QZA", "Renamed Limited"))
  expect(await codes()).toEqual(["QZA"])
})

const alpha = row("QZA", "Quarry Alpha Limited")
const renamed = row("QZN", "Quarry Alpha Limited")
const wrongDate = (line: string) => line.replace("12/09/2018", "30/06/1999")

test.each([
  ["of the old code", wrongDate(alpha), renamed],
  ["of the new code", alpha, wrongDate(renamed)],
])("A wrong date on a single day %s does not lose its successor", async (_, last, first) => {
  await loadFrom(1, 7, alpha)
  await load(8, last)
  await load(9, first)
  await loadFrom(10, 16, renamed)
  expect(await successors()).toEqual(["QZA false QZN"])
})

test("Codes that the files lack for a day, or have for a day, are neither ended nor new", async () => {
  const gamma = row("QZC", "Quarry Gamma NL")
  await loadFrom(1, 7, alpha, gamma)
  await load(8, gamma, row("QZO", "Another Limited"))
  await loadFrom(9, 15, alpha)
  await load(16, alpha, gamma)
  await loadFrom(17, 24, alpha)
  expect([await successors(), await proposed()]).toEqual([[], []])
})

test("A corrected listing date makes a company neither predecessor nor successor", async () => {
  await loadFrom(1, 7, alpha)
  await loadFrom(8, 15, wrongDate(alpha), row("QZO", "Another Limited"))
  expect(await proposed()).toEqual([])
  expect(await refusal("QZA", "QZO")).toContain("QZA must have ended")
})

test("A code that a single file has is proposed if the next file is six days later, and not sooner", async () => {
  await load(1, alpha)
  await loadFrom(6, 12, row("QZN", "Renamed Limited"))
  expect(await proposed()).toEqual([])
  await load(13, row("QZO", "Quarry Gamma NL", "02/03/2004"))
  await loadFrom(30, 36, row("QZP", "Another Limited", "02/03/2004"))
  expect([await successors(), await proposed()]).toEqual([[], ["QZO QZP"]])
})

test("A name that is listed for a single day links no two codes", async () => {
  await loadFrom(1, 7, alpha)
  await load(8, row("QZN", "Quarry Alpha Limited"))
  await loadFrom(9, 16, row("QZN", "Another Limited"))
  expect([await successors(), await proposed()]).toEqual([[], ["QZA QZN"]])
})

test("An operator links any code to its successor, and sees the evidence", async () => {
  await loadFrom(1, 7, alpha, row("QZC", "Quarry Gamma NL"))
  await holders("QUARRY ALPHA LTD")
  await loadFrom(8, 20, row("QZC", "Quarry Gamma NL"))
  await loadFrom(21, 27, row("QZC", "Quarry Gamma NL"), row("QZN", "Other Limited", "21/01/2026"))
  const pair = { predecessor: "QZA", successor: "QZN" }
  expect(await proposed()).toEqual([])
  expect(await readSuccessorEvidence(bench.url, pair)).toEqual({
    speaksFor: [],
    speaksAgainst: [
      "listing dates: 2018-09-12, 2026-01-21",
      "name of both: none",
      "QZA ended 2026-01-08T00:00:00Z, QZN appeared 2026-01-21T00:00:00Z",
      "other codes of the same listing date: QZC",
    ],
  })
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZN"])
  await load(28, row("QZN", "Other Limited", "21/01/2026"))
  expect(await codes()).toEqual(["QZN"])
  await decide("QZA", "QZN", false)
  expect(await codes()).toEqual(["QZA"])
  expect(await readSuccessorEvidence(bench.url, pair)).toMatchObject({
    speaksAgainst: expect.arrayContaining(["the pair was declined"]),
  })
  await expectTotals()
})
