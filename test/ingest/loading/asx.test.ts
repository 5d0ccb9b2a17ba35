/**
 * The directory's resource companies and the announcement index are loaded as the exchange
 * publishes them.
 */
import { expect, test } from "bun:test"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = '"ASX code","Company name","GICs industry group","Listing date","Market Cap"'
const directory = (...rows: string[]) => [header, ...rows].join("\n")
const first = directory(
  '"QZA","QUARRY ALPHA LIMITED","Materials","12/09/2018",4294967296',
  '"360","THREE SIXTY OIL NL","Energy","","SUSPENDED"',
  '"QZB","BETA BANK, LIMITED","Banks","01/01/2001",5',
  '"QZC","GAMMA LIMITED","Class Pend","01/01/2001","--"',
)

const listed = async () =>
  Object.fromEntries(
    (
      await bench.sql`
        select asx_code, company_name, market_cap_aud::float8 as cap, gics_sector, gics_industry_group,
          is_active from companies order by asx_code`
    ).map(({ asx_code, ...row }) => [asx_code, Object.values(row)]),
  )

test("The directory's resource companies are loaded, with the sector of their group", async () => {
  const summary = await bench.load("asx-directory", first)
  expect(await listed()).toEqual({
    "360": ["THREE SIXTY OIL NL", null, "Energy", "Energy", true],
    QZA: ["QUARRY ALPHA LIMITED", 4294967296, "Materials", "Materials", true],
  })
  expect(formatSummary(summary)).toContain(
    "4 rows read = 2 accepted + 0 rejected + 2 left out (other sectors)",
  )
})

test("Companies of every sector are loaded with allSectors", async () => {
  await bench.load("asx-directory", first, { allSectors: true })
  expect(await listed()).toMatchObject({
    QZB: ["BETA BANK, LIMITED", 5, "Financials", "Banks", true],
    QZC: ["GAMMA LIMITED", null, null, null, true],
  })
})

test("A blank name keeps the last one, and a company without one has its code until a file names it", async () => {
  const names = async () =>
    (await bench.sql`select company_name from companies order by asx_code`).map(
      (row) => row.company_name,
    )
  const blank = first.replace("QUARRY ALPHA LIMITED", "  ").replace("THREE SIXTY OIL NL", "")
  await bench.load("asx-directory", blank)
  expect(await names()).toEqual(["360", "QZA"])
  await bench.load("asx-directory", first)
  expect(await names()).toEqual(["THREE SIXTY OIL NL", "QUARRY ALPHA LIMITED"])
  const { release, files } = await bench.load("asx-directory", blank)
  expect([release, files[0]?.rejected]).toEqual([null, 0])
  expect(await names()).toEqual(["THREE SIXTY OIL NL", "QUARRY ALPHA LIMITED"])
  expect(await bench.sql`select from former_names`).toHaveLength(0)
})

test("A delisted company is inactive, keeps its fields, and is active again when it returns", async () => {
  await bench.load("asx-directory", first)
  const without = directory(...first.split("\n").slice(2))
  const left = await bench.load("asx-directory", without, {
    acceptShrink: true,
    removeMissingNow: true,
  })
  expect(left.changes).toEqual({ added: 0, changed: 0, removed: 0, deactivated: 1 })
  expect((await listed()).QZA).toEqual([
    "QUARRY ALPHA LIMITED",
    4294967296,
    "Materials",
    "Materials",
    false,
  ])
  expect((await bench.load("asx-directory", without)).release).toBeNull()
  await bench.load("asx-directory", first)
  expect((await listed()).QZA?.at(-1)).toBe(true)
})

test("A company that moved to another sector is still listed, so it stays active", async () => {
  await bench.load("asx-directory", first)
  const summary = await bench.load("asx-directory", first.replace('"Energy"', '"Utilities"'))
  expect(summary.changes).toMatchObject({ changed: 1, deactivated: 0 })
  expect((await listed())["360"]).toEqual([
    "THREE SIXTY OIL NL",
    null,
    "Utilities",
    "Utilities",
    true,
  ])
})

test("The older export with its banner loads as a directory", async () => {
  const old =
    'ASX listed companies as at Mon Feb 01 22:29:37 EST 2016\r\n\r\nCompany name,ASX code,GICS industry group\r\n"QUARRY ALPHA LIMITED",QZA,"Materials"\r\n"B LIMITED",B,"Materials"\r\n'
  await bench.load("asx-directory", old)
  expect(await listed()).toEqual({
    QZA: ["QUARRY ALPHA LIMITED", null, "Materials", "Materials", true],
  })
  expect(bench.rejects().map(({ line, reason }) => [line, reason])).toEqual([
    [5, 'asx_code is malformed: "B"'],
  ])
})

test("A directory has its stated date, unless the operator sets another", async () => {
  const stating = (date: string) =>
    `ASX listed companies as at ${date} EST 2016\n\nCompany name,ASX code,GICS industry group\nQUARRY ALPHA LIMITED,QZA,Materials\n`
  const observed = async (date: string, given?: string) =>
    (await bench.load("asx-directory", stating(date), { observed: given })).observed
  expect(await observed("Mon Feb 01 22:29:37")).toBe("2016-02-01T00:00:00Z")
  expect(await observed("Tue Feb 02 22:29:37", "2016-02-05")).toBe("2016-02-05T00:00:00Z")
  expect(await bench.refusal("asx-directory", stating("Wed Feb 03 22:29:37"))).toContain(
    "Cannot load files of 2016-02-03T00:00:00Z: asx-directory has been loaded from files of 2016-02-05T00:00:00Z",
  )
  const [source] = await bench.sql`
    select last_observed_is_known as known from sources where name = 'asx-directory'`
  expect(source?.known).toBe(true)
})

/** The directory of a morning in Australia, so many days from today in UTC. */
function inDays(days: number): string {
  const date = new Date(Date.now() + days * 86_400_000).toUTCString()
  const [weekday, day, month, year] = date.replace(",", "").split(" ")
  return `ASX listed companies as at ${weekday} ${month} ${day} 08:00:00 AEDT ${year}\n\nCompany name,ASX code,GICS industry group\nQUARRY ALPHA LIMITED,QZA,Materials\n`
}

test("A directory of this morning in Australia, where it is tomorrow in UTC, is of now", async () => {
  expect(await bench.refusal("asx-directory", inDays(2))).toContain("in the future")
  const { observed, observedIsKnown } = await bench.load("asx-directory", inDays(1))
  expect(observedIsKnown).toBe(true)
  expect(Math.abs(Date.parse(observed) - Date.now())).toBeLessThan(60_000)
})

test("The load counts an invalid listing date as a warning", async () => {
  const summary = await bench.load("asx-directory", first.replace("12/09/2018", "31/02/2018"))
  expect(summary.files[0]?.warnings).toEqual({ 'unknown listing date "31/02/2018"': 1 })
  expect(Object.keys(await listed())).toEqual(["360", "QZA"])
})

test("An unknown industry group is a counted warning, never a guess", async () => {
  const odd = first.replace('"Banks"', '"Space Tourism"')
  const summary = await bench.load("asx-directory", odd, { allSectors: true })
  expect(summary.files[0]?.warnings).toEqual({ 'unknown industry group "Space Tourism"': 1 })
  expect((await listed()).QZB).toEqual(["BETA BANK, LIMITED", 5, null, "Space Tourism", true])
})

test("Announcements are added and changed, and never removed", async () => {
  const index = "ticker,documentKey,date,headline,fileSize,isPriceSensitive,announcementTypes"
  const rows = [
    'QZA,1-02-03,2026-05-25T22:21:58.900Z,Drilling begins,1100KB,false,"[""Progress Report"","""",""Other; more""]"',
    'QZB,1-02-03,2026-05-25T22:21:58.000Z,Drilling begins,1100KB,false,"[]"',
  ]
  await bench.load("asx-announcements", [index, ...rows].join("\n"))
  const summary = await bench.load(
    "asx-announcements",
    [index, rows[1]?.replace("begins", "began"), 'QZC,../x,2026-05-25T22:21:58Z,T,,,"[]"'].join(
      "\n",
    ),
  )
  expect(summary.changes).toEqual({ added: 0, changed: 1, removed: 0, deactivated: 0 })
  expect(bench.rejects()[0]?.reason).toBe("documentKey is missing or malformed")
  const stored = await bench.sql`
    select hash, asx_code, title, type, types_folded, published_at, url from reports order by asx_code`
  expect(
    stored.map(({ hash, ...row }) => [/^[0-9a-f]{32}$/.test(hash), ...Object.values(row)]),
  ).toEqual([
    [
      true,
      "QZA",
      "Drilling begins",
      "Progress Report; Other, more",
      ["progress report", "other, more", "progress report; other, more"],
      new Date("2026-05-25T22:21:58Z"),
      "https://asx.api.markitdigital.com/asx-research/1.0/file/1-02-03",
    ],
    [
      true,
      "QZB",
      "Drilling began",
      null,
      [],
      new Date("2026-05-25T22:21:58Z"),
      "https://asx.api.markitdigital.com/asx-research/1.0/file/1-02-03",
    ],
  ])
})
