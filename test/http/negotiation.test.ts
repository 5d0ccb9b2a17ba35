/**
 * `Accept` chooses by quality and specificity among the formats of a list (RFC 9110, section
 * 12.5.1), and JSON wherever it chooses none.
 */
import { expect, test } from "bun:test"
import { preferredFormat } from "../../src/http/negotiation.ts"

test.each([
  [null, "json"],
  ["", "json"],
  ["*/*", "json"],
  ["text/csv", "csv"],
  ["Text/Tab-Separated-Values", "tsv"],
  ["text/csv;q=0.4, text/tab-separated-values;q=0.5", "tsv"],
  ["text/csv, text/tab-separated-values", "csv"],
  ["text/tab-separated-values, text/csv", "tsv"],
  ["application/*, text/csv", "csv"],
  ["*/*, text/csv;q=0.9", "json"],
  ["text/csv;q=0", "json"],
  ["text/*;q=0.2, text/csv;q=0, application/json;q=0.1", "tsv"],
  ["text/csv;q=1.000", "csv"],
  ["text/csv;q=1.001, application/json;q=0.1", "json"],
  ["text/csv;q=.5, application/json;q=0.1", "json"],
  ["text/csv;q=-1", "json"],
  ["text/csv;charset=utf-8;q=0.5;x=1, application/json;q=0.4", "csv"],
  ["text / csv", "json"],
  ["image/png", "json"],
  [",,,", "json"],
  [";q=1", "json"],
] as const)("Accept: %s prefers %s", (accept, format) => {
  expect(preferredFormat(accept)).toBe(format)
})
