/** A subject is stored as one canonical path of the API, and rejected with the API's own messages. */
import { expect, test } from "bun:test"
import { AccountError } from "../../../src/accounts/access/change.ts"
import { type GivenSubject, subjectOf } from "../../../src/accounts/alerts/watch.ts"
import { ApiError, faultsOf } from "../../../src/api/http/api-error.ts"

const pathOf = (given: GivenSubject) => {
  const subject = subjectOf(given)
  return "path" in subject ? subject.path : null
}

test("Equal lists have one path, without what chooses a part, an order, a format or a point in time", () => {
  const path = "/tenements?changed=added%2Cstatus&holder=gold&state=WA"
  for (const list of [
    path,
    "/tenements?holder=GOLD&state=wa&changed=status,added&company=",
    `/api/v1${path}&page=2&per_page=5&sort=area_km2&order=desc&fields=id&format=csv&all=true`,
    `${path}&as_of=3&updated_since=1&removed_since=2&bom=true&formula_guard=false&_=1`,
  ]) {
    expect(subjectOf({ list })).toEqual({ kind: "list", path, reports: "both" })
  }
  expect(pathOf({ list: "/companies?active=true" })).toBe("/companies")
  expect(pathOf({ list: "/companies?active=false" })).toBe("/companies?active=false")
  expect(pathOf({ list: "/companies/big/tenements?state=NT" })).toBe(
    "/companies/BIG/tenements?state=NT",
  )
  expect(pathOf({ list: "/reports?from=2026-01-01&timezone=UTC" })).toBe("/reports?from=2026-01-01")
  expect(subjectOf({ list: path, report: "removals" })).toEqual({
    kind: "list",
    path,
    reports: "removals",
  })
})

test("Expiry dates are watched in lists of tenements, without filters for them", () => {
  const list = "/tenements?state=WA&changed=added&expires_from=2026-01-01&expires_to=2026-04-01"
  expect(subjectOf({ list, expiring: 90 })).toEqual({
    kind: "expiry",
    path: "/tenements?state=WA",
    days: 90,
  })
  expect(pathOf({ list: "/companies/BIG/tenements", expiring: 730 })).toBe(
    "/companies/BIG/tenements",
  )
})

test("A record is watched by its path", () => {
  expect(subjectOf({ record: "/companies/big" })).toEqual({
    kind: "record",
    path: "/companies/BIG",
  })
  expect(pathOf({ record: "/tenements/WA-E47-1234?as_of=3" })).toBe("/tenements/WA-E47-1234")
  expect(subjectOf({ releases: true })).toEqual({ kind: "releases" })
})

test.each([
  [{}, "one subject"],
  [{ list: "/tenements", record: "/companies/BIG" }, "one subject"],
  [{ list: "/tenements", releases: true }, "one subject"],
  [{ record: "/companies/BIG", expiring: 9 }, "Only a list"],
  [{ releases: true, report: "both" }, "Only a list"],
  [{ list: "/tenements", expiring: 9, report: "both" }, "no kinds of change"],
  [{ list: "/tenements", expiring: 0 }, "from 1 to 730"],
  [{ list: "/tenements", expiring: 731 }, "from 1 to 730"],
  [{ list: "/companies", expiring: 9 }, "Only tenements"],
  [{ list: "/releases" }, "Not a list that can be watched"],
  [{ list: "/facets/tenements/state" }, "Not a list that can be watched"],
  [{ list: "/tenements/WA-1/history" }, "Not a list that can be watched"],
  [{ list: "/usage" }, "Not a list that can be watched"],
  [{ list: "/tenements/WA-1" }, "Not a list that can be watched"],
  [{ list: "/nope" }, "Not a path of the API"],
  [{ list: "https://example.com/tenements" }, "Not a path of the API"],
  [{ record: "/tenements" }, "Not the path of a record"],
  [{ record: "/companies/BIG?state=WA" }, "Not the path of a record"],
] as const)("%j is no subject: %s", (given, message) => {
  expect(() => subjectOf(given)).toThrow(AccountError)
  expect(() => subjectOf(given)).toThrow(message)
})

test("Filters have the faults that the API finds", () => {
  try {
    subjectOf({ list: "/tenements?state=XX&holdr=gold&near=1,2&changed=" })
    throw new Error("accepted")
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    expect(faultsOf(error).map(({ parameter }) => parameter)).toEqual([
      "holdr",
      "state",
      "near",
      "changed",
    ])
  }
})
