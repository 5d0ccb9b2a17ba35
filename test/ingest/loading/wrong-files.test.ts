/** A load rejects a well-formed file of another source, and the message names that source. */
import { expect, test } from "bun:test"
import { inNational } from "../../../src/ingest/sources/national.ts"
import { filesOfFile, outcomeOf, sourceOf } from "./readings.ts"

const file = filesOfFile()

const files: Readonly<Record<string, string>> = {
  companies: "asx_code,company_name,is_active\nQZA,Alpha,true\n",
  tenements: "id,tenement_id,state,status\nWA-E1,E1,WA,granted\n",
  subsidiaries: "name,parent_asx_code\nAlpha Pits,QZA\n",
  "asx-directory": "ASX code,Company name,GICS industry group\nQZA,ALPHA,Materials\n",
  "asx-announcements":
    "ticker,documentKey,date,headline,announcementTypes\nQZA,1,2026-01-02T03:04:05Z,T,[]\n",
  nsw: "TENID,TYPE,OWNER,TENSTATUS,AREA,GRANTDATE,EXPIREDATE\nEL1,EL,X,CURRENT,,,\n",
  vic: "tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares\nEL1,Exploration Licence,Current,X,,,\n",
  national:
    "name,tenementType,status,owner,area,grantDate,expireDate,state\nEL1,exploration,granted,X,,,,NT\n",
}

/** The sources of states also read files of the national view. */
const readsToo = (other: string, source: string) =>
  source === "national" && ["nsw", "vic"].includes(other)

const sourceFor = (name: string) =>
  name === "national" ? inNational(sourceOf("nt")) : sourceOf(name)

test.each(Object.entries(files))(
  "A file of %s given to another source is rejected, and the message names its source",
  async (source, content) => {
    const path = file("given.csv", content)
    const others = Object.keys(files).filter((each) => each !== source && !readsToo(each, source))
    for (const other of others) {
      expect(await outcomeOf(sourceFor(other), path)).toMatch(
        new RegExp(`^Cannot read given\\.csv: it looks like a file of the source "${source}"`),
      )
    }
  },
)

test("A header with a column twice is a fault of the file, not a sign of another source", async () => {
  const header = "name,NAME,tenementType,status,owner,area,grantDate,expireDate"
  const path = file("given.csv", `${header}\nEL1,EL1,exploration,granted,X,,,\n`)
  expect(await outcomeOf(sourceOf("nt"), path)).toStartWith(
    'Cannot read given.csv: duplicate column "name"',
  )
})

test("A banner also identifies the source of a file", async () => {
  const old =
    "ASX listed companies as at Mon Feb 01 2016\r\n\r\nCompany name,ASX code,GICS industry group\r\n"
  expect(await outcomeOf(sourceOf("asx-announcements"), file("given.csv", old))).toStartWith(
    'Cannot read given.csv: it looks like a file of the source "asx-directory"',
  )
})
