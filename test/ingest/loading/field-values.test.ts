/**
 * A value is read strictly by its field's schema: accepted as written, or rejected with the reason,
 * never guessed.
 */
import { expect, test } from "bun:test"
import { companies } from "../../../src/data/resources/companies.ts"
import { reports } from "../../../src/data/resources/reports.ts"
import type { Resource } from "../../../src/data/resources/resource.ts"
import { subsidiaries } from "../../../src/data/resources/subsidiaries.ts"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { fieldReader, InvalidValue } from "../../../src/ingest/loading/field-values.ts"

function read(resource: Resource, name: string, raw: unknown) {
  const field = resource.fields[name]
  if (!field) throw new Error(`No field ${name}`)
  const value = fieldReader(field)(raw)
  return value instanceof InvalidValue ? `fault: ${value.reason}` : value
}

const good: readonly [Resource, string, unknown, unknown][] = [
  [companies, "asx_code", "qz9", "QZ9"],
  [companies, "market_cap_aud", "9007199254740991", 9007199254740991],
  [companies, "market_cap_aud", 5, 5],
  [companies, "market_cap_aud", " ", null],
  [companies, "is_active", "TRUE", true],
  [companies, "is_active", false, false],
  [companies, "company_name", " as it is ", " as it is "],
  [subsidiaries, "ownership_percentage", "33.33", 33.33],
  [tenements, "area_km2", "1e-7", 1e-7],
  [tenements, "state", "NSW", "NSW"],
  [tenements, "grant_date", "2024-02-29", "2024-02-29"],
  [tenements, "grant_date", undefined, null],
  [reports, "published_at", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
  [reports, "published_at", "2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z"],
  [reports, "published_at", "2026-01-01T23:04:05.9-0930", "2026-01-02T08:34:05Z"],
  [reports, "published_at", "2026-01-02T03:04+10:00", "2026-01-01T17:04:00Z"],
  [reports, "url", "https://example.com/a?b=c", "https://example.com/a?b=c"],
]

for (const [resource, name, raw, value] of good) {
  test(`${name} reads ${JSON.stringify(raw)}`, () => {
    expect(read(resource, name, raw)).toBe(value as string)
  })
}

const bad: readonly [Resource, string, unknown, string][] = [
  [companies, "asx_code", "AB", 'is malformed: "AB"'],
  [companies, "asx_code", "bıg", 'is malformed: "bıg"'],
  [companies, "asx_code", "ﬂx", 'is malformed: "ﬂx"'],
  [companies, "asx_code", "", "is missing"],
  [companies, "market_cap_aud", "1e3", 'is not an integer: "1e3"'],
  [companies, "market_cap_aud", "5.0", 'is not an integer: "5.0"'],
  [companies, "market_cap_aud", "9007199254740992", 'is not an integer: "9007199254740992"'],
  [companies, "market_cap_aud", "-1", "is below 0: -1"],
  [companies, "is_active", "yes", 'is neither true nor false: "yes"'],
  [companies, "company_name", "é".repeat(1001), "is longer than 2000 bytes"],
  [subsidiaries, "ownership_percentage", "100.5", "is above 100: 100.5"],
  [tenements, "area_km2", "Infinity", 'is not a number: "Infinity"'],
  [tenements, "area_km2", "0x10", 'is not a number: "0x10"'],
  [tenements, "state", "wa", 'is not one of WA, NSW, QLD, VIC, SA, TAS, NT: "wa"'],
  [tenements, "grant_date", "2026-02-29", 'is not a date as YYYY-MM-DD: "2026-02-29"'],
  [tenements, "grant_date", "01/02/2026", 'is not a date as YYYY-MM-DD: "01/02/2026"'],
  [tenements, "grant_date", "0000-01-01", 'is not a date as YYYY-MM-DD: "0000-01-01"'],
  [tenements, "id", "E 04/1", 'is malformed: "E 04/1"'],
  [
    reports,
    "published_at",
    "2026-01-02T03:04:05",
    'is not an ISO 8601 date-time with a time zone: "2026-01-02T03:04:05"',
  ],
  [
    reports,
    "published_at",
    "2026-01-02T24:00:00Z",
    'is not an ISO 8601 date-time with a time zone: "2026-01-02T24:00:00Z"',
  ],
  [reports, "url", "javascript:alert(1)", 'is not an http or https URL: "javascript:alert(1)"'],
]

for (const [resource, name, raw, reason] of bad) {
  test(`${name} rejects ${JSON.stringify(raw)?.slice(0, 40)}`, () => {
    expect(read(resource, name, raw)).toBe(`fault: ${reason}`)
  })
}
