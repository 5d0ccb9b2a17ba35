/** Folding makes search and order independent of case and of the server's locale. */
import { expect, test } from "bun:test"
import { fold, splitValues } from "../../../src/system/text/fold.ts"

test("Folding twice changes nothing", () => {
  for (const text of ["İSTANBUL", "ΟΔΟΣ ΟΔΟΣ", "Cafe\u0301", "ẞ", "ǅ", "ﬁ", "K"]) {
    expect(fold(fold(text))).toBe(fold(text))
  }
})

test("A part of a text, cut between letters, is found in the folded whole", () => {
  for (const whole of ["ΛΟΓΟΣ ΟΔΟΣ", "Straße GROSS", "Big Ore, Limited"]) {
    for (let from = 0; from < whole.length; from++) {
      for (let to = from + 1; to <= whole.length; to++) {
        expect(fold(whole)).toContain(fold(whole.slice(from, to)))
      }
    }
  }
})

test.each([
  ["A; B", ["A", "B"]],
  ["A", ["A"]],
  [" A ;; B;", ["A", "B"]],
  ["", []],
  [" ; ", []],
])("The parts of %j are %j", (value, parts) => {
  expect(splitValues(value)).toEqual(parts)
})
