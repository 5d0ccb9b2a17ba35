/** The holders of a tenement, as registers write them. */
import { expect, test } from "bun:test"
import { holdersIn, holdersText } from "../../../src/ingest/sources/register-holders.ts"

test.each([
  ["Holder - ALPHA PTY LTD (100%),\nAgent - WE ACT PTY LTD", ["ALPHA PTY LTD"]],
  ["Holder - ALPHA PTY LTD (60%), Holder - BETA (NT) NL (40%)", ["ALPHA PTY LTD", "BETA (NT) NL"]],
  ["Applicant - ALPHA, BETA & CO", ["ALPHA, BETA & CO"]],
  ["Agent - WE ACT PTY LTD", []],
  ["ALPHA (70%); BETA (30.5 %)\nGAMMA NL; ", ["ALPHA", "BETA", "GAMMA NL"]],
  ["ALPHA PTY LTD,\nBETA NL", ["ALPHA PTY LTD", "BETA NL"]],
  ["[individual holder - name withheld]; ALPHA", ["[individual holder - name withheld]", "ALPHA"]],
  ["ALPHA - STAKEHOLDER - PTY LTD", ["ALPHA - STAKEHOLDER - PTY LTD"]],
  ["ALPHA 100% MINERALS LTD", ["ALPHA 100% MINERALS LTD"]],
  ["", []],
  [null, []],
])("The holders in %j are %j", (cell, holders) => {
  expect(holdersIn(cell)).toEqual(holders)
})

test("Several holders are joined as A; B, each once, and a semicolon inside a name is replaced", () => {
  expect(holdersText(["QUARRY A PTY LTD", " ", null, "B; SON & CO", "QUARRY  A PTY LTD"])).toBe(
    "QUARRY A PTY LTD; B, SON & CO",
  )
  expect(holdersText([" ", null, "None"])).toBeNull()
})
