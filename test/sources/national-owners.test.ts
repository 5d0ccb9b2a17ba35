/** Only those whose role is to hold the tenement are read as its holders. */
import { expect, test } from "bun:test"
import { ownersIn } from "../../src/sources/national-owners.ts"

test.each([
  ["Holder - ALPHA PTY LTD (100%),\nAgent - WE ACT PTY LTD", ["ALPHA PTY LTD"]],
  ["Holder - ALPHA PTY LTD (60%), Holder - BETA (NT) NL (40%)", ["ALPHA PTY LTD", "BETA (NT) NL"]],
  ["Applicant - ALPHA, BETA & CO", ["ALPHA, BETA & CO"]],
  ["Agent - WE ACT PTY LTD", []],
  ["ALPHA (70%); BETA (30%)", ["ALPHA", "BETA"]],
  ["ALPHA PTY LTD,\nBETA NL", ["ALPHA PTY LTD", "BETA NL"]],
  ["ALPHA - STAKEHOLDER - PTY LTD", ["ALPHA - STAKEHOLDER - PTY LTD"]],
  ["", []],
  [null, []],
])("the owners in %j are %j", (cell, owners) => {
  expect(ownersIn(cell)).toEqual(owners)
})
