/** However people and registers write the reference of a tenement, it has one key. */
import { expect, test } from "bun:test"
import { referenceKey, tenementNumber } from "../../src/text/reference-key.ts"

test("All written forms of a reference have one key", () => {
  for (const [first = "", ...others] of [
    ["E 04/1131", "E04/1131-I", "e4/1131", "E 4 1131", "E0401131", "E  0401131", "E 0401131-G"],
    ["M 63/242", "M6300242", "m63 242", "M63/242-S", "M 063/0242"],
    ["EPC 1015", "EPC1015", "epc 01015", "EPC-1015"],
    ["MCI 70/1A", "MCI7000001A"],
    ["EL 6001", "EL006001"],
    ["M 904SA", "m904 sa", "AM 7000904", "M904SA-S"],
  ]) {
    for (const other of others)
      expect([other, referenceKey(other)]).toEqual([other, referenceKey(first)])
  }
})

test("Different references have different keys, in the order of their numbers", () => {
  const keys = [
    "E 4/61",
    "E 4/613",
    "E 46/13",
    "E 46/13-A",
    "E 461/3",
    "EL 46/13",
    "M 1",
    "M 1SA",
    "P 0",
  ]
  expect(keys.map(referenceKey)).toEqual([...new Set(keys.map(referenceKey))].sort())
})

test("What is no reference has the empty key", () => {
  for (const text of ["", "/", "é", `E ${"1".repeat(300)}`]) expect(referenceKey(text)).toBe("")
})

test.each([
  [
    "WA",
    ["E 04/1131", "e 4/1131-i", "E0401131", "E  0401131", "E 04/1131 -S", "E041131", "E041131 G"],
  ],
  ["WA", ["M 4SA", "M4SA", "M 04SA", "AM 7000004"]],
  ["QLD", ["EPM 1234", "EPM1234", "epm-1234", "EPM 001234"]],
  ["SA", ["2020/00123", "2020/123", "2020 / 123"]],
])("In %s %j are one number", (state, writings) => {
  expect(new Set(writings.map((writing) => tenementNumber(writing, state))).size).toBe(1)
})

test.each([
  ["WA", ["E 04/1131", "E 41/131", "E 4/11310", "M 04/1131", "E 04/1131 1", "L 04/1131"]],
  ["QLD", ["EPM 1234", "EPC 1234", "EPM 12340", "EPM 1 234"]],
  ["NT", ["EL 34567", "EL 12 34567"]],
])("In %s %j are of different tenements", (state, writings) => {
  const numbers = new Set(writings.map((writing) => tenementNumber(writing, state)))
  expect(numbers.size).toBe(writings.length)
})
