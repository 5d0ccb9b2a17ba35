/** No known value is lost because a file lacks its column, or because the column went empty. */
import { expect, test } from "bun:test"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const codes = (count: number) =>
  Array.from({ length: count }, (_, index) => `Q${String(index).padStart(2, "0")}`)
/** The directory in its five columns, with these market capitalisations. */
const directory = (caps: readonly (number | string)[]) =>
  [
    '"ASX code","Company name","GICs industry group","Listing date","Market Cap"',
    ...codes(caps.length).map(
      (code, index) => `"${code}","${code} LIMITED","Materials","01/02/2003",${caps[index]}`,
    ),
    "",
  ].join("\n")
const caps = Array.from({ length: 30 }, (_, index) => 1000 + index)
const five = directory(caps)
/** The older layout: three columns in another order, after a banner and a blank line. */
const three = [
  "ASX listed companies as at Mon Feb 01 22:29:37 EST 2016",
  "",
  "Company name,ASX code,GICS industry group",
  ...codes(31).map((code) => `"${code} LIMITED",${code},"Materials"`),
  "",
].join("\r\n")

const stored = async () =>
  Object.fromEntries(
    (await bench.sql`select asx_code, market_cap_aud::float8 as cap from companies order by 1`).map(
      ({ asx_code, cap }) => [asx_code, cap],
    ),
  )
const known = async () => Object.values(await stored()).filter((cap) => cap !== null).length

test("The three-column list leaves market capitalisations as they are; a new company has none", async () => {
  await bench.load("asx-directory", five, { observed: "2016-01-01" })
  const summary = await bench.load("asx-directory", three)
  expect(summary.changes).toMatchObject({ added: 1, changed: 0 })
  expect(summary.files[0]?.kept_fields).toContain("market_cap_aud")
  expect(await stored()).toMatchObject({ Q00: 1000, Q29: 1029, Q30: null })
  expect(formatSummary(summary)).toContain(
    "note: no usable column for market_cap_aud, listing_date; stored values stay",
  )
  const renamed = three.replace("Q00 LIMITED", "QUARRY NOUGHT LIMITED")
  expect((await bench.load("asx-directory", renamed)).changes.changed).toBe(1)
  expect((await stored()).Q00).toBe(1000)
})

test("Each of several files leaves the fields that it has no column for", async () => {
  await bench.load(
    "companies",
    "asx_code,company_name,market_cap_aud,gics_sector,is_active\nQZA,A,1,Energy,true\nQZB,B,2,Energy,true\n",
  )
  const summary = await bench.load("companies", [
    bench.file("a.csv", "asx_code,company_name,market_cap_aud,is_active\nQZA,A,,true\n"),
    bench.file("b.csv", "asx_code,company_name,gics_sector,is_active\nQZB,B,,true\n"),
  ])
  const rows = await bench.sql`
    select market_cap_aud::float8 as cap, gics_sector, gics_sector_folded from companies order by asx_code`
  expect(rows.map((row) => Object.values(row))).toEqual([
    [null, "Energy", "energy"],
    [2, null, null],
  ])
  expect(formatSummary(summary)).toContain(
    "note: no usable column for gics_sector, gics_industry_group; stored values stay",
  )
})

test("In the JSON forms, a column is a name that some row has", async () => {
  const row = (code: string, rest: object) =>
    JSON.stringify({ asx_code: code, company_name: code, is_active: true, ...rest })
  const all = ["QZA", "QZB"].map((code) => row(code, { market_cap_aud: 7, gics_sector: "Energy" }))
  await bench.load("companies", all.join("\n"))
  await bench.load("companies", [row("QZA", {}), row("QZB", { market_cap_aud: 8 })].join("\n"))
  const rows = await bench.sql`
    select market_cap_aud::float8 as cap, gics_sector from companies order by asx_code`
  expect(rows.map((each) => Object.values(each))).toEqual([
    [null, "Energy"],
    [8, "Energy"],
  ])
})

test("The Western Australian CSV, without dates or a unit, leaves dates and areas as they are", async () => {
  const feature = {
    type: "Feature",
    properties: {
      fmt_tenid: "M 77/9001",
      type: "MINING LEASE",
      tenstatus: "LIVE",
      holder1: "A",
      grantdate: "2001/01/31 08:00:00.000",
      enddate: "2031/01/30 08:00:00.000",
      legal_area: 100,
      unit_of_measure: "HA.",
    },
  }
  await bench.load("wa", JSON.stringify({ type: "FeatureCollection", features: [feature] }))
  const select = () => bench.sql`
    select holder_name, grant_date::text, expiry_date::text, area_km2 from tenements`
  const [before] = await select()
  expect(before).toMatchObject({ grant_date: "2001-01-31", area_km2: 1 })
  await bench.load(
    "wa",
    "fmt_tenid,type,tenstatus,holder1,legal_area\nM 77/9001,MINING LEASE,LIVE,B,100\n",
  )
  expect(await select()).toMatchObject([{ ...before, holder_name: "B" }])
})

test("A file whose market capitalisations are all -- is rejected with figures", async () => {
  await bench.load("asx-directory", five)
  const empty = directory(caps.map((cap, index) => (index === 0 ? cap : '"--"')))
  expect(await bench.refusal("asx-directory", empty)).toBe(
    "Nothing was published: in the files of the source asx-directory, market_cap_aud would become empty " +
      "for 29 of the 30 companies whose value is known (96.7%). If the files are faulty, load others; " +
      "if the values are no longer known, add --accept-empty market_cap_aud",
  )
  expect(await known()).toBe(30)
  expect(await bench.releases()).toBe(1)
  const accepted = await bench.load("asx-directory", empty, { acceptEmpty: ["market_cap_aud"] })
  expect(accepted.changes.changed).toBe(29)
})

test("Up to a third of a column's values, or five, may become empty", async () => {
  const emptied = (of: number, count: number) =>
    directory(caps.slice(0, of).map((cap, index) => (index < count ? '"SUSPENDED"' : cap)))
  await bench.load("asx-directory", five)
  expect(await bench.refusal("asx-directory", emptied(30, 11))).toContain("11 of the 30 companies")
  await bench.load("asx-directory", emptied(30, 10))
  await bench.empty()
  await bench.load("asx-directory", emptied(6, 0))
  expect(await bench.refusal("asx-directory", emptied(6, 6))).toContain("6 of the 6 companies")
  await bench.load("asx-directory", emptied(6, 5))
  expect(await known()).toBe(1)
})

test("A register whose phrases change is rejected, with the phrase", async () => {
  const register = (status: string) =>
    [
      "tno,typedesc,statussdsc,own_name",
      ...codes(10).map((code) => `EL${code},Exploration Licence,${status},A`),
    ].join("\n")
  await bench.load("vic", register("Current"))
  expect(await bench.refusal("vic", register("Flourishing"))).toContain(
    "status would become empty for 10 of the 10 tenements whose value is known (100.0%), " +
      'where status has no mapping for "Flourishing" (10)',
  )
})

test("A partial load is checked by the records that it has", async () => {
  await bench.load("asx-directory", five)
  const empty = directory(caps.slice(0, 9).map(() => '"--"'))
  expect(await bench.refusal("asx-directory", empty, { partial: true })).toContain(
    "9 of the 9 companies",
  )
  expect(await known()).toBe(30)
})

test("The error for an unacceptable column lists the acceptable ones", async () => {
  const refusal = bench.refusal("asx-directory", five, { acceptEmpty: ["market_cap"] })
  expect(await refusal).toBe(
    'Cannot accept an empty column "market_cap" (did you mean "market_cap_aud"?). ' +
      "The columns of companies that can be empty: market_cap_aud, gics_sector, gics_industry_group",
  )
})
