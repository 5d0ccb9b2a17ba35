/** A GICS industry group, in current or earlier wording, has the sector of the standard. */
import { expect, test } from "bun:test"
import { classify } from "../../../src/ingest/sources/gics.ts"

test("A group's sector is the standard's, in today's and in earlier spellings", () => {
  const sectors = [
    "Materials",
    "Pharmaceuticals, Biotechnology & Life Sciences",
    "Pharmaceuticals & Biotechnology",
    "Equity Real Estate Investment Trusts (REITs)",
    "food, beverage and tobacco",
    "Diversified Financials",
    "Retailing",
    "Media",
  ].map((group) => classify(group).sector)
  expect(sectors).toEqual([
    "Materials",
    "Health Care",
    "Health Care",
    "Real Estate",
    "Consumer Staples",
    "Financials",
    "Consumer Discretionary",
    "Communication Services",
  ])
})

test("A company without a group has no sector; an unknown group is distinguished", () => {
  const none = { sector: null, industryGroup: null, isUnknown: false }
  for (const written of ["Not Applic", "Class Pend", " "]) expect(classify(written)).toEqual(none)
  expect(classify("Alchemy")).toEqual({
    sector: null,
    industryGroup: "Alchemy",
    isUnknown: true,
  })
})
