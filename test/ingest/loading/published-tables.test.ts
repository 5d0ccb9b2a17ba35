/**
 * Tables load as people and programs publish them: other separators, title lines, blank columns and
 * columns that nobody asked for change no value, and the summary says what was passed over.
 */
import { expect, test } from "bun:test"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const titles = [
  "tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares",
  'EL1,Exploration Licence,Current,"Quarry, Sons & Co",2020-01-31,2030-01-30,100',
  "EL2,Mining Licence,Current,Beta Pty Ltd,,,250.5",
]
const plain = `${titles.join("\n")}\n`

test("Additional columns of a public file are ignored, and named once", async () => {
  const index = [
    "documentKey,ticker,date,headline,announcementTypes,fileSize,isPriceSensitive,issuer,pages,url",
    'k1,QZA,2026-01-02T03:04:05Z,Quarterly,"[""Quarterly""]",12KB,true,Alpha Ltd,3,/k1.pdf',
    'k2,QZA,2026-01-03T03:04:05Z,Annual,"[]",1MB,false,Alpha Ltd,90,/k2.pdf',
  ].join("\n")
  const summary = await bench.load("asx-announcements", index)
  expect(summary.files[0]).toMatchObject({
    accepted: 2,
    rejected: 0,
    warnings: {},
    notes: ['columns ignored: "issuer", "pages", "url"'],
  })
  expect(formatSummary(summary)).toContain('\n  note: columns ignored: "issuer", "pages", "url"\n')
})

test("The note shortens a long list of ignored columns", async () => {
  const names = Array.from({ length: 30 }, (_, nth) => `extra ${nth}`)
  const content = `ASX code,Company name,GICS industry group,${names}\nQZA,A,Energy,${names}\n`
  const [note = ""] = (await bench.load("asx-directory", content)).files[0]?.notes ?? []
  expect(note).toStartWith('columns ignored: "extra 0", ')
  expect(note).toEndWith('"extra 9" and 20 more')
})

const withCaps = (caps: readonly string[]) =>
  [
    "ASX code,Company name,GICS industry group,Market Cap",
    ...caps.map((cap, nth) => `Q${nth + 10},Alpha,Materials,${cap}`),
    "",
  ].join("\n")

test("A market capitalisation may have a currency, and commas between thousands", async () => {
  const caps = ["1529190000", '"1,529,190,000"', "$1529190000", '"A$1,529,190,000"', '" $ 1,529 "']
  const none = ["N/A", "n/a", "-", "--", "Suspended", ""]
  await bench.load("asx-directory", withCaps([...caps, ...none]))
  const stored =
    await bench.sql`select market_cap_aud::float8 as cap from companies order by asx_code`
  expect(stored.map(({ cap }) => cap)).toEqual([
    ...Array.from({ length: 4 }, () => 1529190000),
    1529,
    ...none.map(() => null),
  ])
})

test("Any other market capitalisation is rejected, not guessed", async () => {
  const caps = ['"1,52"', "1.5B", '"$1,529.19M"', "$", "N", "1 529", '"1,529,19"']
  const [file] = (await bench.load("asx-directory", withCaps([...caps, "1"]))).files
  expect(file).toMatchObject({ accepted: 1, rejected: caps.length })
})

test("Blank cells below blank trailing columns of the header are ignored", async () => {
  await bench.load("vic", plain)
  const padded = titles.map((line) => `${line},,,`)
  const summary = await bench.load("vic", `${padded.join("\n")}\n`)
  expect(summary.files[0]).toMatchObject({ accepted: 2, rejected: 0 })
  expect(summary.release).toBeNull()
  const unevenly = `${titles[0]},,\n${titles[1]}\n${titles[2]}, \n`
  expect(await bench.load("vic", unevenly)).toMatchObject({ release: null })
})

test("A row with more cells than the header is rejected, even if its last cell is blank", async () => {
  const shifted = "EL3,Exploration Licence,Current,ZZYZX, JANE,2020-01-01,2030-01-01,5,"
  const remarked = [`${titles[0]},remarks`, `${titles[1]},`, shifted].join("\n")
  const summary = await bench.load("vic", `${remarked}\n`)
  expect(summary.files[0]).toMatchObject({ accepted: 1, rejected: 1 })
  expect(bench.rejects()).toMatchObject([
    { line: 3, reason: "has 9 columns where the header has 8" },
  ])
  await bench.load("companies", "asx_code,company_name,is_active\nQZA,Alpha,true\nQZB,B,true,\n")
  expect(bench.rejects()).toMatchObject([
    { line: 3, reason: "has 4 columns where the header has 3" },
  ])
})

test("A value in an unnamed column rejects its row", async () => {
  const own = "asx_code,company_name,is_active,,\nQZA,Alpha,true,,\nQZB,Beta,true,,note\n"
  const summary = await bench.load("companies", own)
  expect(summary.files[0]).toMatchObject({ accepted: 1, rejected: 1 })
  expect(bench.rejects()[0]).toMatchObject({
    line: 3,
    reason: "has 5 columns where the header has 3",
  })
})

test("Semicolons separate values as commas do, quotes included", async () => {
  await bench.load("vic", plain)
  const withSemicolons = plain
    .replace('"Quarry, Sons & Co"', "Quarry§ Sons & Co")
    .replaceAll(",", ";")
    .replace("§", ",")
  const summary = await bench.load("vic", withSemicolons)
  expect(summary.files[0]).toMatchObject({ accepted: 2, rejected: 0 })
  expect(summary.files[0]?.notes).toEqual(["its values are separated by semicolons"])
  expect(summary.release).toBeNull()
  const [source] = await bench.sql`select holder_name from tenements where id = 'VIC-EL1'`
  expect(source).toEqual({ holder_name: "Quarry, Sons & Co" })
})

test("A quoted semicolon is part of the value", async () => {
  await bench.load("vic", plain.replace("Beta Pty Ltd", '"Beta; Gamma"'))
  const quoted = plain.replaceAll(",", ";").replace("Beta Pty Ltd", '"Beta; Gamma"')
  expect(await bench.load("vic", quoted.replace("Quarry; Sons", "Quarry, Sons"))).toMatchObject({
    release: null,
  })
})

test("The error for a semicolon file with other columns names its columns", async () => {
  const path = bench.file("given.csv", "name;colour;size\nEL1;red;2\n")
  expect(await bench.refusal("vic", [path])).toStartWith(
    'Cannot read given.csv: its columns are not those of this source: found "name", "colour", "size"',
  )
})

test("Title lines above the header are skipped and named", async () => {
  await bench.load("vic", plain)
  const titled = `Tenements of Victoria,,,\n"As at 1 July 2026, unofficial"\n\nSource: the register\n${plain}`
  const summary = await bench.load("vic", titled)
  expect(summary.files[0]).toMatchObject({ read: 2, accepted: 2, rejected: 0 })
  expect(summary.files[0]?.notes).toEqual([
    '3 lines above the header were skipped: "Tenements of Victoria", "As at 1 July 2026, unofficial", "Source: the register"',
  ])
  expect(summary.release).toBeNull()
})

test("Rejected rows below title lines have their line numbers", async () => {
  await bench.load("vic", `Tenements\n\n${plain}EL3,x\nEL4,,,,,,\n`)
  expect(bench.rejects().map(({ line }) => line)).toEqual([6])
})

test("No more than twenty lines may precede the header", async () => {
  const title = (lines: number) => "Tenements, as published\n".repeat(lines) + plain
  expect((await bench.load("vic", title(20))).files[0]).toMatchObject({ accepted: 2 })
  expect(await bench.refusal("vic", title(21))).toContain("its columns are not those")
})

test("Below title lines, the error names the column that the header lacks", async () => {
  const content = `Tenements, Victoria\nAs at July\n${plain.replace("own_name", "own name")}`
  expect(await bench.refusal("vic", content)).toEndWith(
    'column "own_name" is missing (did you mean "own name"?). Check the source in the command, or correct the header',
  )
})

test("A comma is never read as a decimal point, nor a decimal comma as a thousands separator", async () => {
  const amounts = ["17,7", "1,529", "1,234,567", "1,234.5", "1234.5"]
  const rows = amounts.map((amount, nth) => `EL${nth};Mining Licence;Current;A;;;${amount}`)
  const summary = await bench.load("vic", [titles[0]?.replaceAll(",", ";"), ...rows, ""].join("\n"))
  expect(summary.files[0]).toMatchObject({
    accepted: 4,
    rejected: 1,
    warnings: { 'area_km2 is not a number: "17,7"': 1 },
  })
  expect(bench.rejects()).toEqual([
    expect.objectContaining({
      line: 3,
      reason:
        'hectares is ambiguous: in a file separated by semicolons, the comma of "1,529" may be decimal',
    }),
  ])
  const areas = await bench.sql`select area_km2::float8 as area from tenements order by id`
  expect(areas.map(({ area }) => area)).toEqual([null, 12345.67, 12.345, 12.345])
})

test("The error names a header that is not valid CSV", async () => {
  expect(await bench.refusal("vic", plain.replace("typedesc", 'type "desc"'))).toBe(
    "Cannot read rows.csv: it has no header; line 1: an unquoted value contains a quote",
  )
})
