/** A header is matched to a source's columns by name, and every mismatch is named. */
import { expect, test } from "bun:test"
import { type Columns, matchColumns } from "../../../src/ingest/sources/columns.ts"

const columns = {
  required: ["asx_code", "company_name"],
  optional: ["gics_sector"],
  others: "refuse",
} as const

test("Columns are matched in any order, regardless of case and surrounding blanks", () => {
  expect(matchColumns(columns, ["Company_Name", " gics_sector ", "asx_code"])).toEqual({
    names: ["company_name", "gics_sector", "asx_code"],
  })
})

test("Every error in a header is named, with a suggestion for a misspelled name", () => {
  expect(matchColumns(columns, ["asx_code", "companyname", "x", ""])).toEqual({
    error:
      'unknown column "companyname" (did you mean "company_name"?); unknown column "x"; a column has no name; column "company_name" is missing',
  })
})

test("Where other columns are ignored, a misspelling of a missing one is suggested", () => {
  const ignoring = { ...columns, others: "ignore" } as const
  expect(matchColumns(ignoring, ["asx_code", "x", "company name"])).toEqual({
    error: 'column "company_name" is missing (did you mean "company name"?)',
  })
  expect(matchColumns(ignoring, ["asx_code", "x", "company_name"])).toEqual({
    names: ["asx_code", null, "company_name"],
  })
})

test("A name with several spellings is read from the first that the file has", () => {
  const columns: Columns = {
    required: ["status"],
    optional: ["day"],
    spellings: { status: ["STATUS_1", "status"], day: ["granted", "GRANT_DATE"] },
    others: "ignore",
  }
  expect(matchColumns(columns, ["Status", "status_1", "grant_date"])).toEqual({
    names: [null, "status", "day"],
  })
  expect(matchColumns(columns, ["status"])).toEqual({ names: ["status"] })
  expect(matchColumns(columns, ["granted", "stat"])).toEqual({
    error: 'column "STATUS_1" or "status" is missing',
  })
})

test("A column with the spellings of two names belongs to the first", () => {
  const columns: Columns = {
    required: ["holder"],
    optional: ["company"],
    spellings: { holder: ["HOLDER", "COMPANY"], company: ["COMPANY"] },
    others: "ignore",
  }
  expect(matchColumns(columns, ["company"])).toEqual({ names: ["holder"] })
  expect(matchColumns(columns, ["company", "holder"])).toEqual({ names: ["company", "holder"] })
})
