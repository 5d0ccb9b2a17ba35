/** Which companies an unlinked holder may belong to, for a person to decide. */
import { beforeEach, expect, test } from "bun:test"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import knownGroups from "../../../src/ingest/loading/known-groups.csv" with { type: "text" }
import { decide } from "../../../src/ingest/loading/link-decisions.ts"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { decideSuccessors } from "../../../src/ingest/loading/successors.ts"
import { readSuggestions } from "../../../src/ingest/loading/suggested-companies.ts"
import { formatSummary, type LoadSummary } from "../../../src/ingest/loading/summary.ts"
import { subsidiariesCsv } from "../../../src/ingest/loading/unlinked.ts"
import { suggestedColumns } from "../../../src/ingest/sources/own-columns.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()
const path = join(bench.directory, "suggestions.csv")
beforeEach(() => rmSync(path, { force: true }))

const { companies } = bench
/** Each holder holds as many tenements as are given. */
const holders = (counts: Record<string, number>) =>
  bench.holders(
    ...Object.entries(counts).flatMap(([name, count]) => Array.from({ length: count }, () => name)),
  )
const suggested = async () =>
  (await readSuggestions(bench.url)).map(
    (row) =>
      `${row.tenements} ${row.name}: ${row.suggested_asx_code}, ${row.reason} ${row.similar_name}`,
  )

test("Names that resemble a company's are suggested, and linked only by a person", async () => {
  const names = {
    "ORE MINERALS (LAVERTON) PTY LTD": "place in brackets",
    "Ore Minerals (N.T.) Holdings P/L": "place in brackets",
    "ORE MINERALS PTY LTD": "another ending",
    "The Ore Minerals Holdings (No Liability)": "another ending",
    "Ore (Laverton) Pty Ltd": "place in brackets",
  }
  await companies("QZA,Ore Minerals Limited,true", "QZB,Quartz Minerals NL,true")
  const others = ["ORE MINING SERVICES PTY LTD", "ORE PTY LTD", "QZA PILBARA PTY LTD"]
  const counts = Object.fromEntries([...Object.keys(names), ...others].map((name) => [name, 1]))
  expect((await holders(counts)).links).toMatchObject({ linked: 0 })
  const expected = Object.entries(names).map(
    ([name, reason]) => `1 ${name}: QZA, ${reason} Ore Minerals Limited`,
  )
  expect((await suggested()).sort()).toEqual(expected.sort())
})

test("A former name that does not link by itself is suggested", async () => {
  await companies("QZA,Old Ore Limited,true", "QZB,Other NL,true")
  await holders({ "OLD ORE LTD": 2, "OLD ORE (WEST) PTY LTD": 1 })
  await companies("QZA,Old Ore Limited,false", "QZB,Other NL,true")
  await companies("QZA,Unrelated Limited,true", "QZB,Other NL,true")
  expect(await suggested()).toEqual([
    "2 OLD ORE LTD: QZA, former name Old Ore Limited",
    "1 OLD ORE (WEST) PTY LTD: QZA, place in brackets Old Ore Limited",
  ])
})

test("A holder resembling a subsidiary is suggested for its parent", async () => {
  await companies("QZA,Ore Minerals Limited,true")
  await bench.load(
    "subsidiaries",
    "id,name,parent_asx_code\ns1,Zinc Pits Pty Ltd,QZA\ns2,Tin Pits,QZX\n",
  )
  await holders({ "ZINC PITS (EAST) PTY LTD": 1, "TIN PITS LTD": 1 })
  expect(await suggested()).toEqual([
    "1 ZINC PITS (EAST) PTY LTD: QZA, place in brackets Zinc Pits Pty Ltd",
  ])
})

test("A name in the list of groups is suggested for its company while the code and the name are listed", async () => {
  const holder = { "BHP MINERALS PROPRIETARY LIMITED": 2 }
  await companies("BHP,BHP Group Ltd,true")
  await holders(holder)
  expect(await suggested()).toEqual([
    "2 BHP MINERALS PROPRIETARY LIMITED: BHP, known group BHP Minerals",
  ])
  for (const others of [["BHP,Another Limited,true"], ["BHPX,BHP Group Ltd,true"]]) {
    await companies(...others)
    expect((await suggested()).filter((line) => line.includes("known group"))).toEqual([])
  }
})

test("A load ends with the command that links known groups, and with its effect, until they are decided", async () => {
  const hint =
    'Known groups: 2 more tenements can be linked, from 25.0% to 75.0% of all. Confirm them with `mds holders confirm --reason "known group"`.'
  const lastLine = (loaded: LoadSummary) => formatSummary(loaded).split("\n").at(-1)
  await companies("BHP,BHP Group Ltd,true", "QZA,Ore NL,true")
  const names = { "BHP MINERALS PTY LTD": 2, "ORE NL": 1 }
  expect(lastLine(await holders({ ...names, "ORE (WEST)": 1 }))).toBe(hint)
  await decide(bench.url, [{ holder: "BHP Minerals Pty Ltd", asxCode: "BHP", isRight: false }])
  expect(lastLine(await holders({ ...names, "ORE (EAST)": 1 }))).toStartWith("Published")
})

test("A name in the list of groups is suggested for the successor of its company", async () => {
  const directory = (day: number, row: string) =>
    bench.load(
      "asx-directory",
      `ASX code,Company name,GICs industry group,Listing date,Market Cap\n${row},Materials,13/08/1885,5\n`,
      { acceptShrink: true, observed: `2026-01-${String(day).padStart(2, "0")}` },
    )
  await holders({ "BHP MINERALS PTY LTD": 1 })
  for (const day of [1, 7]) await directory(day, "BHP,BHP Group Limited")
  for (const day of [8, 14]) await directory(day, "QZB,BHP Group Limited")
  await directory(21, "QZB,Renamed Limited")
  await decideSuccessors(
    bench.url,
    [{ predecessor: "BHP", successor: "QZB", isRight: true }],
    silent,
  )
  expect(await suggested()).toEqual(["1 BHP MINERALS PTY LTD: QZB, known group BHP Minerals"])
})

test("Each row of the list of groups has a code, two names, a year and the kind of its document", () => {
  const [header, ...rows] = knownGroups.trim().split("\n")
  expect(header).toBe("asx_code,listed_name,subsidiary_name,year,document")
  const malformed = rows.filter((row) => !/^[0-9A-Z]{3,6},[^,"]+,[^,"]+,\d{4},[a-z ]+$/.test(row))
  expect(malformed).toEqual([])
  expect(new Set(rows).size).toBe(rows.length)
})

test("Suggestions list most tenements first, with at most three companies each", async () => {
  await companies(
    "QZA,Northern Ore Limited,true",
    "QZB,Northern Ore Gold Limited,true",
    "QZC,Northern Ore Group Holdings NL,false",
    "QZD,Northern Ore Holdings NL,true",
    "QZM,Quartz NL,true",
    "QZMCA,Quartz NL,true",
  )
  await holders({ "NORTHERN ORE PTY LTD": 2, "QUARTZ (EAST)": 3, "SOMEBODY ELSE": 4 })
  expect(await suggested()).toEqual([
    "3 QUARTZ (EAST): QZM, place in brackets Quartz NL",
    "2 NORTHERN ORE PTY LTD: QZA, another ending Northern Ore Limited",
    "2 NORTHERN ORE PTY LTD: QZD, another ending Northern Ore Holdings NL",
    "2 NORTHERN ORE PTY LTD: QZC, another ending Northern Ore Group Holdings NL",
  ])
})

test("Common words and names of persons suggest nothing", async () => {
  await companies(
    "QZA,Gold Minerals Limited,true",
    "QZB,Quartz Gold NL,true",
    "QZC,Tin Gold NL,true",
    "QZD,Zinc Gold NL,true",
    "QZE,Northern Star NL,true",
    "QZF,Northern Moon NL,true",
    "QZG,Northern Sun NL,true",
    "QZH,Northern Sky NL,true",
    "QZI,Cape Lambert Minerals NL,true",
  )
  await holders({
    "GOLD DIGGERS PTY LTD": 1,
    "NORTHERN DIGGERS PTY LTD": 1,
    "NORTHERN STAR (EAST KIMBERLEY) PTY LTD": 1,
    "TIN, Jonathan": 1,
    "STAR OF THE WEST PTY LTD": 1,
    "CAPE FLATTERY PTY LTD": 1,
  })
  expect(await suggested()).toEqual([
    "1 NORTHERN STAR (EAST KIMBERLEY) PTY LTD: QZE, place in brackets Northern Star NL",
  ])
})

test("A row with a parent links as a subsidiary; other rows change nothing", async () => {
  await companies("QZA,Ore Minerals Limited,true", "QZB,Quartz Minerals NL,false")
  await holders({
    "ORE MINERALS (EAST), PTY LTD": 2,
    "QUARTZ MINERALS HOLDINGS LTD": 1,
    "SOMEBODY ELSE": 3,
  })
  writeFileSync(path, subsidiariesCsv(await readSuggestions(bench.url), suggestedColumns))
  const lines = [
    "name,parent_asx_code,country,ownership_percentage,tenements,suggested_asx_code,suggested_company,suggested_is_active,reason,similar_name",
    '"ORE MINERALS (EAST), PTY LTD",,,,2,QZA,Ore Minerals Limited,true,place in brackets,Ore Minerals Limited',
    "QUARTZ MINERALS HOLDINGS LTD,,,,1,QZB,Quartz Minerals NL,false,another ending,Quartz Minerals NL",
    "",
  ].join("\r\n")
  expect(readFileSync(path, "utf8")).toBe(lines)
  expect((await bench.load("subsidiaries", [path], { partial: true })).release).toBeNull()
  writeFileSync(path, lines.replace('LTD",,', 'LTD",QZA,'))
  const loaded = await bench.load("subsidiaries", [path], { partial: true })
  expect(loaded.links).toMatchObject({ linked: 2, through_subsidiaries: 2 })
  expect(loaded.files[0]).toMatchObject({ accepted: 1, left_out: { "no parent_asx_code yet": 1 } })
  expect(await suggested()).toEqual([
    "1 QUARTZ MINERALS HOLDINGS LTD: QZB, another ending Quartz Minerals NL",
  ])
})
