/** A well-formed file of another source is refused, and the message names that source. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { outcomeOf, sourceOf } from "./readings.ts"
import { type Workbench, workbench } from "./workbench.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())

const files: Readonly<Record<string, string>> = {
  companies: "asx_code,company_name,is_active\nQZA,Alpha,true\n",
  tenements: "id,tenement_id,state,status\nWA-E1,E1,WA,granted\n",
  subsidiaries: "name,parent_asx_code\nAlpha Pits,QZA\n",
  "asx-directory": "ASX code,Company name,GICS industry group\nQZA,ALPHA,Materials\n",
  "asx-sectors": 'Code,Company,Sector,Market Cap,Weight(%)\nQZA,Alpha,Materials,"1,000",1\n',
  "asx-announcements":
    "ticker,documentKey,date,headline,announcementTypes\nQZA,1,2026-01-02T03:04:05Z,T,[]\n",
  nsw: "TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE\nEL1,EL,X,CURRENT,,,\n",
  vic: "tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares\nEL1,Exploration Licence,Current,X,,,\n",
  national:
    "name,tenementType,status,owner,area,grantDate,expireDate,state\nEL1,exploration,granted,X,,,,NT\n",
}

test.each(Object.entries(files))(
  "a file of %s given to another source is refused, and its source named",
  async (source, content) => {
    const path = bench.file("given.csv", content)
    for (const other of Object.keys(files).filter((each) => each !== source)) {
      expect(await outcomeOf(sourceOf(other), path)).toMatch(
        new RegExp(`^Cannot read given\\.csv: it looks like a file of the source "${source}"`),
      )
    }
  },
)

test("a banner also identifies the source of a file", async () => {
  const old =
    "ASX listed companies as at Mon Feb 01 2016\r\n\r\nCompany name,ASX code,GICS industry group\r\n"
  expect(await outcomeOf(sourceOf("asx-sectors"), bench.file("given.csv", old))).toStartWith(
    'Cannot read given.csv: it looks like a file of the source "asx-directory"',
  )
})

test("columns of no known source are refused with the expected ones", async () => {
  const path = bench.file("given.csv", "name,colour\nEL1,red\n")
  expect(await outcomeOf(sourceOf("vic"), path)).toBe(
    'Cannot read given.csv: its columns are not those of this source: found "name", "colour"; ' +
      "expected tno, typedesc, statussdsc, own_name, grant1_dt, expl_dt, hectares",
  )
})

const feature = (tno: string) =>
  `{"type":"Feature","geometry":null,"properties":{"tno":"${tno}","typedesc":"Exploration Licence","statussdsc":"Current","own_name":"X","hectares":100}}`
const features = (...each: string[]) =>
  `{"type":"FeatureCollection","features":[${each.map(feature).join(",")}]}`

test("the features of a register are its rows", async () => {
  const summary = await bench.load("vic", [bench.file("a.geojson", features("EL1", "EL2"))])
  expect(summary.files[0]).toMatchObject({ read: 2, accepted: 2 })
})

test.each([
  ["JSON", features("EL1", "EL2").slice(0, -30), /^Cannot read cut: it is truncated/],
  [
    "a row",
    `${files.vic}EL2,Exploration Lic`,
    /^Cannot read cut: it is truncated: line 3, the last/,
  ],
  ["a quoted value", `${files.vic}"EL2,Expl`, /^Cannot read cut: it is truncated: it ends inside/],
  ["a header", String(files.vic).split("\n")[0] ?? "", /^Cannot read cut: it has a header but no/],
])("a file truncated in %s is refused", async (_, content, message) => {
  expect(await outcomeOf(sourceOf("vic"), bench.file("cut", content))).toMatch(message)
})

test("a register that lacks one of twenty is accepted, and one of nineteen is refused", async () => {
  const titles = (count: number) =>
    [
      files.vic?.split("\n")[0],
      ...Array.from({ length: count }, (_, n) => `EL${n},,,,,,`),
      "",
    ].join("\n")
  const accepted = { acceptShrink: true, removeMissingNow: true }
  await bench.load("vic", titles(20), accepted)
  await bench.load("vic", titles(19), { removeMissingNow: true })
  expect(await bench.refusal("vic", titles(18))).toStartWith(
    "Nothing was published: 1 of the 19 tenements of the source vic (5.3%) are missing from the files",
  )
  expect((await bench.load("vic", titles(18), accepted)).release).not.toBeNull()
})
