/** However people and registers write the reference of a tenement, it has one key. */
import { expect, test } from "bun:test"
import { referenceKey } from "../../../src/system/text/reference-key.ts"

test("All written forms of a reference have one key", () => {
  for (const [first = "", ...others] of [
    ["E 04/1131", "E04/1131-I", "e4/1131", "E 4 1131", "E0401131", "E  0401131", "E 0401131-G"],
    ["M 63/242", "M6300242", "m63 242", "M63/242-S", "M 063/0242"],
    ["EPC 1015", "EPC1015", "epc 01015", "EPC-1015"],
    ["MCI 70/1A", "MCI7000001A"],
    ["EL 6001", "EL006001"],
    ["2020/00123", "2020/123", "2020 / 123"],
    ["M 904SA", "m904 sa", "AM 7000904", "M904SA-S"],
  ]) {
    for (const other of others)
      expect([other, referenceKey(other)]).toEqual([other, referenceKey(first)])
  }
})

test("Different references have different keys, in the order of their numbers", () => {
  const keys = [
    "E 4/61",
    "E 4/61 1",
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

test("Text that is not a reference has an empty key", () => {
  for (const text of ["", "/", "é", `E ${"1".repeat(300)}`]) expect(referenceKey(text)).toBe("")
})
