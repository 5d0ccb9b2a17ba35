/** The cells of a register become values, or stay unknown with a reason; none is guessed. */
import { expect, test } from "bun:test"
import type { State } from "../../../src/data/db/schema.ts"
import {
  areaOf,
  dateOf,
  shownReference,
  tenementIdOf,
  Unmapped,
  writtenText,
} from "../../../src/ingest/sources/register-values.ts"

const reasonOf = (read: unknown) => (read instanceof Unmapped ? read.why : read)

test("A register's words for a missing value become null", () => {
  for (const nothing of [undefined, null, "", " ", "None", "none", "<Null>", {}, true]) {
    expect(writtenText(nothing)).toBeNull()
  }
  expect(writtenText("  NONE  SUCH \n PTY LTD ")).toBe("NONE SUCH PTY LTD")
})

const dates: readonly [written: unknown, state: State, day: string | null][] = [
  ["2014/05/28 08:00:00.000", "WA", "2014-05-28"],
  ["2014/05/28 23:59:59", "WA", "2014-05-28"],
  ["2014/05/28 00:00:01+00", "WA", "2014-05-28"],
  ["2014-05-28 00:00:01+00", "WA", "2014-05-28"],
  ["2014-05-27T16:00:00Z", "WA", "2014-05-28"],
  ["2014-05-28T23:59:59Z", "WA", "2014-05-28"],
  ["2014-05-28T15:59:59Z", "WA", "2014-05-28"],
  [Date.UTC(2014, 4, 28), "WA", "2014-05-28"],
  [String(Date.UTC(2014, 4, 28)), "QLD", "2014-05-28"],
  [Date.UTC(2014, 4, 27, 14), "QLD", "2014-05-28"],
  [Date.UTC(1961, 8, 28), "QLD", "1961-09-28"],
  ["2004-12-07T01:30:00Z", "SA", "2004-12-07"],
  ["2030-07-01T02:30:00Z", "SA", "2030-07-01"],
  ["1899-06-30T02:30:00Z", "SA", "1899-06-30"],
  ["2014-12-31T13:00:00+00:00", "NSW", "2015-01-01"],
  ["2014-06-30T14:00:00+0000", "VIC", "2014-07-01"],
  ["2014-06-30T09:30:00.500+09:30", "NT", "2014-06-30"],
  [Date.UTC(2026, 4, 18, 14, 30), "NT", "2026-05-19"],
  ["28/05/2014", "WA", "2014-05-28"],
  ["8/5/2014 12:00:00 AM", "TAS", "2014-05-08"],
  ["30 Nov 2012", "TAS", "2012-11-30"],
  ["8 MAY 2014", "TAS", "2014-05-08"],
  ["20140528", "NSW", "2014-05-28"],
  [20140528, "NSW", "2014-05-28"],
  ["2014-05-28", "QLD", "2014-05-28"],
  ["2014-05-28Z", "NT", "2014-05-28"],
  ["2014-05-28+10:00", "TAS", "2014-05-28"],
  ["2999/12/31 08:00:00.000", "WA", null],
  [Date.UTC(2999, 11, 31), "WA", null],
  ["9999-12-31", "VIC", null],
  ["31/12/2999", "WA", null],
  ["1899-12-30", "VIC", null],
  ["0001-01-01T00:00:00", "NSW", null],
  [" ", "WA", null],
  ["None", "QLD", null],
]

test.each(dates)("%p in %s is the day %p", (written, state, day) => {
  expect(reasonOf(dateOf(written, state))).toBe(day)
})

test("An invalid date is not guessed", () => {
  for (const written of [
    "2014-02-30",
    "31/06/2014",
    "soon",
    "2014",
    "14-05-28",
    "31 Nov 2012",
    "1 Foo 2012",
  ]) {
    expect(reasonOf(dateOf(written, "WA"))).toBe(`is not a date in a known format: "${written}"`)
  }
})

const areas: readonly [amount: unknown, unit: unknown, km2: number | string | null][] = [
  ["120.5", "HA.", 1.205],
  [4.06, "Hectares", 0.0406],
  [264, "Square Kilometres", 264],
  ["3.3", "KM2", 3.3],
  [22_229_573.3991, "m2", 22.2295733991],
  ["2.22e+007", "m2", 22.2],
  ["17.7 HA", undefined, 0.177],
  ["25 HECT", undefined, 0.25],
  ["56 sq km/blocks", undefined, 56],
  ["1,204 ha", undefined, 12.04],
  [0, "ha", null],
  ["0.0", "HA.", null],
  [" ", "HA.", null],
  ["10.0", "BL.", "is in BL., which have no exact area"],
  ["62 SBKS", undefined, "is in SBKS, which have no exact area"],
  ["12 UNITS", undefined, "is in UNITS, which have no exact area"],
  ["10.0", undefined, "has no unit in this file"],
  ["10", "PERCH", 'is in an unknown unit: "PERCH"'],
  ["-5", "ha", 'is not a number: "-5"'],
  ["****", "ha", 'is not a number: "****"'],
]

test.each(areas)("An area of %p %p is %p", (amount, unit, km2) => {
  expect(reasonOf(areaOf(amount, unit))).toBe(km2)
})

const references: readonly [State, written: string, shown: string, id: string][] = [
  ["WA", "E 47/1234", "E47/1234", "WA-E47-1234"],
  ["WA", "E 04/2332-I", "E04/2332-I", "WA-E04-2332-I"],
  ["WA", "M 4SA", "M4SA", "WA-M4SA"],
  ["WA", "WA-19-EOS", "WA-19-EOS", "WA-WA-19-EOS"],
  ["QLD", "EPM 9624", "EPM9624", "QLD-EPM9624"],
  ["QLD", "epm26903", "EPM26903", "QLD-EPM26903"],
  ["SA", "ELA 1999/00035", "ELA1999/00035", "SA-ELA1999-00035"],
  ["NSW", "EL8977 (1992)", "EL8977 (1992)", "NSW-EL8977-1992"],
]

test.each(references)("In %s the reference %p is shown as %p, its id is %p", (state, ...rest) => {
  const [written, shown, id] = rest
  expect([shownReference(written), tenementIdOf(state, written)]).toEqual([shown, id])
})

test("An id is safe in a path whatever the reference contains, and differs for different numbers", () => {
  for (const written of ["a/b?c#d%e", "é 1", "../..", " M 1 / 2 "]) {
    expect(tenementIdOf("WA", written)).toMatch(/^[A-Za-z0-9._~-]+$/)
  }
  expect(tenementIdOf("WA", "ML 1 23")).not.toBe(tenementIdOf("WA", "ML 12 3"))
})

test.each([
  ["1,234.5 ha", 12.345],
  ["12,345,678 m2", 12.345678],
  ["0,5 ha", null],
  ["17,7 ha", null],
  ["1234,567 ha", null],
  ["1,2345 ha", null],
  [",123 ha", null],
  ["1.5,000 ha", null],
])("A comma is read between thousands only: %s", (written, area) => {
  const read = areaOf(written)
  expect(read instanceof Unmapped ? null : read).toBe(area)
})
