/** All writings of a tenement's reference have one number, and those of two tenements have two. */
import { expect, test } from "bun:test"
import { tenementNumber } from "../../src/text/tenement-number.ts"

test.each([
  [
    "WA",
    ["E 04/1131", "E04/1131", "e 4/1131-i", "E0401131", "E  0401131", "E04/01131 -S", "E041131"],
  ],
  ["WA", ["M 4SA", "M4SA", "M 04SA"]],
  ["QLD", ["EPM 1234", "EPM1234", "epm-1234", "EPM 001234"]],
  ["SA", ["2020/00123", "2020/123", "2020 / 123"]],
  ["VIC", ["EL007123", "EL 7123"]],
])("In %s %j are one number", (state, writings) => {
  expect(new Set(writings.map((writing) => tenementNumber(writing, state))).size).toBe(1)
})

test.each([
  ["WA", ["E 04/1131", "E 41/131", "E 4/11310", "M 04/1131", "E 04/1131 1", "L 04/1131"]],
  ["QLD", ["EPM 1234", "EPC 1234", "EPM 12340", "EPM 1 234"]],
  ["NT", ["EL 1234567", "EL 12 34567"]],
])("In %s %j are of different tenements", (state, writings) => {
  const numbers = new Set(writings.map((writing) => tenementNumber(writing, state)))
  expect(numbers.size).toBe(writings.length)
})
