/** Folding makes search and order independent of case and of the server's locale. */
import { expect, test } from "bun:test"
import { containing } from "../../../src/data/resources/conditions.ts"
import { fold, splitValues } from "../../../src/system/text/fold.ts"

test.each([
  ["BHP Group", "bhp group"],
  ["ÅNGSTRÖM", "ångström"],
  ["A\u030angstro\u0308m", "ångström"],
  ["Straße", "straße"],
  ["ΛΟΓΟΣ", "λογοσ"],
  ["λόγος", "λόγοσ"],
  ["İ", "i\u0307"],
  ["😀", "😀"],
  ["", ""],
])("%j folds to %j", (text, folded) => {
  expect(fold(text)).toBe(folded)
})

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
  ["a", "%a%"],
  ["100%", "%100\\%%"],
  ["a_b", "%a\\_b%"],
  ["\\", "%\\\\%"],
  ["\\%_", "%\\\\\\%\\_%"],
])("The wildcards in %j are literal in %j", (text, pattern) => {
  expect(containing(text)).toBe(pattern)
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
