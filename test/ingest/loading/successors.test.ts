/**
 * A company that changes its code continues under the new one, with its former names, once an operator has
 * decided so. What files of less than six days say of codes, dates and names proposes nothing.
 */
import { expect, test } from "bun:test"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { prune } from "../../../src/ingest/loading/prune.ts"
import { removeSource } from "../../../src/ingest/loading/remove-source.ts"
import { readSuccessorEvidence } from "../../../src/ingest/loading/successor-evidence.ts"
import { decideSuccessors, readProposedSuccessors } from "../../../src/ingest/loading/successors.ts"
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
/** Loads a file a month after the one before, which counts by itself. */
const loadIn = (month: number, ...rows: string[]) => load(1 + 30 * month, ...rows)
const { holders } = bench
const codes = async () => Object.values(await bench.linked())
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
  decideSuccessors(bench.url, [{ predecessor, successor, isRight }], silent)
const refusal = (predecessor: string, successor: string) =>
  decide(predecessor, successor, true).catch((error: unknown) => String(error))

/** Totals are those of the lists, whatever the links are. */
const expectTotals = async () => expect(await bench.companiesOfOtherTotals()).toEqual([])

const alpha = row("QZA", "Quarry Alpha Limited")
const renamed = row("QZN", "Renamed Limited")
const wrongDate = (line: string) => line.replace("12/09/2018", "30/06/1999")

test("A new code of the listing date of an ended one is proposed, also with its name, and never linked by itself", async () => {
  await loadFrom(1, 7, alpha)
  await holders("QUARRY ALPHA LTD", "Renamed Limited")
  await loadFrom(8, 13, row("QZN", "Quarry Alpha Ltd"))
  expect([await proposed(), await codes()]).toEqual([[], ["QZN", ""]])
  await load(14, row("QZN", "Quarry Alpha Ltd"))
  expect(await readProposedSuccessors(bench.url)).toEqual([
    {
      predecessor: "QZA",
      former_company: "Quarry Alpha Limited",
      last_day: "2026-01-07",
      successor: "QZN",
      company: "Quarry Alpha Ltd",
      first_day: "2026-01-08",
      listing_date: "2018-09-12",
      is_only: true,
    },
  ])
  await load(15, renamed)
  // It is the present name of the ended code, and only a former one of the new code.
  expect([await codes(), await successors()]).toEqual([["QZA", "QZN"], []])
  await expectTotals()
})

test("A code whose record was removed with its source is proposed as no successor", async () => {
  await loadIn(0, alpha)
  await loadIn(1, renamed)
  expect(await proposed()).toEqual(["QZA QZN"])
  await removeSource(bench.url, "asx-directory", silent)
  await loadIn(2)
  expect(await proposed()).toEqual([])
})

test("A confirmation links the old names, subsidiaries and records to the new code", async () => {
  await loadFrom(1, 7, alpha)
  await loadFrom(8, 14, row("QZA", "Quarry Alpha Two Limited"))
  await load(15, row("QZA", "Quarry Alpha Three Limited"))
  await bench.load("subsidiaries", "id,name,parent_asx_code\ns1,Quarry Pits,QZA\n")
  await holders(
    ...["QUARRY ALPHA LTD", "Quarry Alpha Two Limited", "Quarry Alpha Three Limited"],
    ...["Renamed Limited", "Quarry Pits"],
  )
  await loadFrom(16, 22, renamed, row("QZO", "Unrelated Limited"))
  expect(await codes()).toEqual(["QZA", "QZA", "QZA", "QZN", "QZA"])
  expect(await readProposedSuccessors(bench.url)).toMatchObject([
    { predecessor: "QZA", successor: "QZN", is_only: false },
    { predecessor: "QZA", successor: "QZO", is_only: false },
  ])
  expect(await decide("QZA", "QZO", false)).toEqual({ value: null, unconfirmed: 0 })
  expect(await proposed()).toEqual(["QZA QZN"])
  const releases = await bench.releases()
  expect(await decide("QZA", "QZN", true)).toMatchObject({
    value: { release: releases + 1 },
    unconfirmed: 0,
  })
  expect(await codes()).toEqual(["QZN", "QZN", "QZN", "QZN", "QZN"])
  expect([await successors(), await proposed()]).toEqual([["QZA false QZN"], []])
  // As from two reviews at once.
  expect((await decide("QZA", "QZN", true)).value).toBe(null)
  await expectTotals()
})

test.each<[string, string[]]>([
  ["are still listed", [row("QZAO", "Quarry Alpha Limited")]],
  ["have ended", []],
])(
  "Options of the old code that bear its name, and %s, keep none of it from the successor",
  async (_, later) => {
    await loadIn(0, alpha, row("QZAO", "Quarry Alpha Limited"))
    await holders("QUARRY ALPHA LTD")
    await loadIn(1, renamed, ...later)
    await decide("QZA", "QZN", true)
    expect(await codes()).toEqual(["QZN"])
    await expectTotals()
  },
)

test("Names under an earlier listing date of the company pass to its successor too", async () => {
  await loadIn(0, wrongDate(row("QZA", "Quarry First Limited")))
  await loadIn(1, wrongDate(alpha))
  await loadIn(2, alpha)
  await holders("QUARRY FIRST LTD", "Quarry Alpha Limited")
  await loadIn(3, renamed)
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZN", "QZN"])
})

test("Several decisions are one release, and one that cannot be stored stores none", async () => {
  const gamma = row("QZC", "Quarry Gamma NL", "02/03/2004")
  await loadIn(0, alpha, gamma)
  for (const month of [1, 2]) {
    await loadIn(month, renamed, row("QZO", "Quarry Delta NL", "02/03/2004"))
  }
  const decideAll = (...pairs: [string, string][]) => {
    const decisions = pairs.map(([predecessor, successor]) => ({
      ...{ predecessor, successor, isRight: true },
    }))
    return decideSuccessors(bench.url, decisions, silent).catch((error: unknown) => String(error))
  }
  expect(await decideAll(["QZA", "QZN"], ["QZB", "QZO"])).toContain("QZB must have ended")
  expect(await successors()).toEqual([])
  const releases = await bench.releases()
  await decideAll(["QZA", "QZN"], ["QZC", "QZO"])
  expect([await bench.releases(), await successors(), await proposed()]).toEqual([
    releases + 1,
    ["QZA false QZN", "QZC false QZO"],
    [],
  ])
})

test("A later decision on a successor replaces an earlier one, and no file does", async () => {
  await loadIn(0, alpha)
  await holders("QUARRY ALPHA LTD")
  await loadIn(1, renamed)
  await decide("QZA", "QZN", true)
  await loadIn(2, row("QZN", "Renamed Again Limited"))
  expect([await codes(), await successors()]).toEqual([["QZN"], ["QZA false QZN"]])
  expect((await decide("QZA", "QZN", false)).value?.release).toBe(await bench.releases())
  await loadIn(3, row("QZN", "Renamed Again Limited"))
  expect([await codes(), await successors(), await proposed()]).toEqual([["QZA"], [], []])
  expect((await decide("QZA", "QZN", true)).value?.release).toBe(await bench.releases())
  expect([await codes(), await successors()]).toEqual([["QZN"], ["QZA false QZN"]])
  await expectTotals()
})

test("A code that returns owns its name, and names its successor again once it has ended", async () => {
  // Its code comes first in alphabetical order.
  const renamed = row("QYN", "Renamed Limited")
  await loadIn(0, alpha)
  await holders("QUARRY ALPHA LTD")
  await loadIn(1, renamed)
  await decide("QZA", "QYN", true)
  await loadIn(2, alpha, renamed)
  expect([await codes(), await successors()]).toEqual([["QZA"], []])
  for (const month of [3, 4]) await loadIn(month, renamed)
  expect([await codes(), await successors()]).toEqual([["QYN"], ["QZA false QYN"]])
})

test("A code of another listing date is not proposed", async () => {
  await loadIn(0, alpha)
  await loadIn(1, wrongDate(renamed))
  expect(await proposed()).toEqual([])
})

test.each([
  ["on the twenty-first day is proposed", 28, ["QZA QZN"]],
  ["more than 21 days later is not proposed", 29, []],
])("A code that begins %s", async (_, day, pairs) => {
  await loadFrom(1, 7, alpha)
  await loadFrom(8, day - 1)
  await loadFrom(day, day + 7, renamed)
  expect(await proposed()).toEqual(pairs)
})

test("Of files a year apart each counts by itself, and a code that begins in the next one is proposed", async () => {
  const yearly = (year: number, line: string) =>
    bench.load("asx-directory", `${header}\n${line}5\n`, {
      ...{ acceptShrink: true, observed: `${year}-02-01` },
    })
  await yearly(2022, alpha)
  await yearly(2023, row("QZA", "Quarry Alpha Two Limited"))
  await yearly(2024, renamed)
  expect(await proposed()).toEqual(["QZA QZN"])
  await decide("QZA", "QZN", true)
  await holders("QUARRY ALPHA LTD", "Quarry Alpha Two Limited")
  expect(await codes()).toEqual(["QZN", "QZN"])
})

test("A chain of codes links to the last one, confirmed in any order and after pruning", async () => {
  await loadIn(0, alpha)
  await holders("QUARRY ALPHA LTD", "Second Limited")
  await loadIn(1, row("QZN", "Second Limited"))
  await loadIn(2, row("QZO", "Third Limited"))
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
  await loadIn(0, alpha)
  await holders("QUARRY ALPHA LTD", "Strangers Limited")
  const strangers = row("QZA", "Strangers Limited", "01/01/2026")
  await loadIn(1, renamed)
  await loadIn(2, renamed, strangers)
  expect([await codes(), await proposed()]).toEqual([["", "QZA"], ["QZA QZN"]])
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZN", "QZA"])
  for (const month of [3, 4]) await loadIn(month, renamed)
  expect([await codes(), await successors()]).toEqual([["QZN", "QZA"], []])
})

test("A decision that is repeated changes nothing, also where two companies had the old code", async () => {
  const decisions = () =>
    bench.sql`select listing_date::text, is_right from successor_decisions order by 1`
  await loadIn(0, alpha)
  await loadIn(1, renamed)
  await loadIn(2, renamed, row("QZA", "Strangers Limited", "01/01/2026"))
  await loadIn(3, renamed)
  for (const isRight of [true, true, false, false]) {
    await decide("QZA", "QZN", isRight)
    expect([...(await decisions())]).toEqual([{ listing_date: "2018-09-12", is_right: isRight }])
  }
  const ofStrangers = { predecessor: "QZA", successor: "QZN", listing_date: "2026-01-01" }
  for (const isRight of [true, true, false, false]) {
    await decideSuccessors(bench.url, [{ ...ofStrangers, isRight }], silent)
    expect([...(await decisions())]).toEqual([
      { listing_date: "2018-09-12", is_right: false },
      { listing_date: "2026-01-01", is_right: isRight },
    ])
  }
})

test.each([
  ["of the old code", wrongDate(alpha), renamed],
  ["of the new code", alpha, wrongDate(renamed)],
])("A wrong date on a single day %s does not lose its successor", async (_, last, first) => {
  await loadFrom(1, 7, alpha)
  await load(8, last)
  await load(9, first)
  await loadFrom(10, 16, renamed)
  expect(await proposed()).toEqual(["QZA QZN"])
})

test("Codes that the files lack for a day, or have for a day, are neither ended nor new", async () => {
  const gamma = row("QZC", "Quarry Gamma NL")
  await loadFrom(1, 7, alpha, gamma)
  await load(8, gamma, row("QZO", "Another Limited"))
  await loadFrom(9, 15, alpha)
  await load(16, alpha, gamma)
  await loadFrom(17, 24, alpha)
  expect(await proposed()).toEqual([])
})

test("A corrected listing date makes a company neither predecessor nor successor", async () => {
  const another = row("QZP", "Another Limited")
  await loadIn(0, alpha, wrongDate(another))
  await loadIn(1, wrongDate(alpha), row("QZO", "A Third Limited"), another)
  expect(await proposed()).toEqual([])
  expect(await refusal("QZA", "QZO")).toContain("QZA must have ended")
})

test("Options that begin or end are no change of a code", async () => {
  await loadIn(0, alpha, row("QZAO", "Quarry Options"))
  await loadIn(1, alpha, row("QZAOB", "Quarry Options"))
  expect(await proposed()).toEqual([])
})

test("An operator links any code to its successor, and sees the evidence", async () => {
  const gamma = row("QZC", "Quarry Gamma NL")
  const other = row("QZN", "Other Limited", "21/01/2026")
  await loadFrom(1, 7, alpha, gamma)
  await holders("QUARRY ALPHA LTD")
  await loadFrom(8, 28, gamma)
  await loadFrom(29, 35, gamma, other)
  const pair = { predecessor: "QZA", successor: "QZN" }
  expect(await proposed()).toEqual([])
  expect(await readSuccessorEvidence(bench.url, pair)).toEqual({
    listing_date: "2018-09-12",
    speaksFor: [],
    speaksAgainst: [
      "listing dates: 2018-09-12, 2026-01-21",
      "name of both: none",
      "QZA was listed until 2026-01-07, QZN from 2026-01-29",
      "other codes of the same listing date: QZC",
    ],
    tenements: 1,
  })
  await decide("QZA", "QZN", true)
  expect(await codes()).toEqual(["QZN"])
  await load(36, gamma, other)
  expect(await codes()).toEqual(["QZN"])
  await decide("QZA", "QZN", false)
  expect(await codes()).toEqual(["QZA"])
  expect(await readSuccessorEvidence(bench.url, pair)).toMatchObject({
    speaksAgainst: expect.arrayContaining(["the pair was declined"]),
  })
  await expectTotals()
})
