import { expect, test } from "bun:test"
import { classify } from "../../src/sources/gics.ts"

test("a group's sector is the standard's, in today's and in earlier spellings", () => {
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

test("a company that has no group has no sector; a group that nobody knows is told apart", () => {
  const none = { sector: null, industryGroup: null, isUnknown: false }
  for (const written of ["Not Applic", "Class Pend", " "]) expect(classify(written)).toEqual(none)
  expect(classify("Alchemy")).toEqual({
    sector: null,
    industryGroup: "Alchemy",
    isUnknown: true,
  })
})
