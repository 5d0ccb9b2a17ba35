/**
 * A list of an index's companies adds what the directory lacks, and never overrides the directory.
 */
import { expect, test } from "bun:test"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const list = `Code,Company,Sector,Market Cap,Weight(%)\r
QZA,Quarry Alpha Ltd,Materials,"1,529,190,000",0.1\r
QZB,Beta Bank Ltd,Financials,"5,001,250",0.34\r
QZC,Gamma Oil NL,Energy,--,0\r
`
const directory = `"ASX code","Company name","GICs industry group","Listing date","Market Cap"
"QZA","QUARRY ALPHA LIMITED","Materials","",7
"QZD","DELTA LIMITED","Energy","",8
`
const listed = async () =>
  (
    await bench.sql`
    select asx_code, company_name, market_cap_aud::float8 as cap, gics_sector, is_active, source
    from companies order by 1`
  ).map((row) => Object.values(row))

const fromTheList = [
  ["QZA", "Quarry Alpha Ltd", 1529190000, "Materials", true, "asx-sectors"],
  ["QZC", "Gamma Oil NL", null, "Energy", true, "asx-sectors"],
]
const fromTheDirectory = [
  ["QZA", "QUARRY ALPHA LIMITED", 7, "Materials", true, "asx-directory"],
  ["QZD", "DELTA LIMITED", 8, "Energy", true, "asx-directory"],
]

test("A sector list adds the resource companies with their sectors and market capitalisations", async () => {
  const summary = await bench.load("asx-sectors", list)
  expect(await listed()).toEqual(fromTheList)
  expect(summary.files[0]).toMatchObject({ read: 3, rejected: 0, left_out: { "other sectors": 1 } })
  expect((await bench.load("asx-sectors", list)).release).toBeNull()
})

test("A sector list changes and adds nothing once a directory is loaded", async () => {
  await bench.load("asx-directory", directory)
  const summary = await bench.load("asx-sectors", list)
  expect(summary.release).toBeNull()
  expect(summary.files[0]).toMatchObject({
    accepted: 0,
    rejected: 0,
    left_out: {
      "other sectors": 1,
      "already loaded from asx-directory": 1,
      "not in asx-directory or companies": 1,
    },
  })
  expect(await listed()).toEqual(fromTheDirectory)
})

test("A directory loaded after the list takes over the companies of both", async () => {
  await bench.load("asx-sectors", list)
  const summary = await bench.load("asx-directory", directory)
  expect(summary.changes).toEqual({ added: 1, changed: 1, removed: 0, deactivated: 0 })
  expect(summary.files[0]?.rejected).toBe(0)
  expect(await listed()).toEqual([
    ...fromTheDirectory.slice(0, 1),
    ...fromTheList.slice(1),
    ...fromTheDirectory.slice(1),
  ])
  const again = await bench.load("asx-sectors", list)
  expect(again.release).toBeNull()
})

test("A company whose values stay the same is a changed record when a higher source takes it over", async () => {
  const row =
    "asx_code,company_name,market_cap_aud,gics_sector,is_active\nQZC,Gamma Oil NL,,Energy,true\n"
  await bench.load("asx-sectors", list)
  const { release, changes } = await bench.load("companies", row)
  expect(changes).toMatchObject({ added: 0, changed: 1 })
  const versions = await bench.sql`
    select source, since_release from companies_history where asx_code = 'QZC'
    union all select source, since_release from companies where asx_code = 'QZC'`
  expect([...versions]).toEqual([
    { source: "asx-sectors", since_release: 1 },
    { source: "companies", since_release: release },
  ])
})

test("An unknown sector is a counted warning; commas are accepted only as thousands separators", async () => {
  const odd = list.replace("Energy,--", 'Space,"1,52"')
  const summary = await bench.load("asx-sectors", odd, { allSectors: true })
  expect(bench.rejects().map(({ reason }) => reason)).toEqual([
    'market_cap_aud is not an integer: "1,52"',
  ])
  const unknown = await bench.load("asx-sectors", odd.replace('"1,52"', '"1,520"'), {
    allSectors: true,
  })
  expect(summary.files[0]?.accepted).toBe(2)
  expect(unknown.files[0]?.warnings).toEqual({ 'unknown sector "Space"': 1 })
})
