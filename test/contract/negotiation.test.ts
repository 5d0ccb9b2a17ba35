/**
 * Without `format` the `Accept` header selects the format, and lists without that format respond
 * in JSON (RFC 9110, section 12.5.1).
 */
import { expect, test } from "bun:test"
import { serviceOfFile } from "../support/service.ts"
import { requestText, sendRaw } from "./raw-http.ts"

const service = await serviceOfFile()

const json = "application/json"
const csv = "text/csv; charset=utf-8; header=present"
const tsv = "text/tab-separated-values; charset=utf-8; header=present"
const ndjson = "application/x-ndjson"
const parquet = "application/vnd.apache.parquet"

const typeOf = async (path: string, accept?: string) => {
  const headers = {
    Authorization: `Bearer ${service.tokens.admin}`,
    ...(accept && { Accept: accept }),
  }
  const response = await sendRaw(service.port, requestText(`/api/v1${path}`, headers))
  return [response.status, response.headers["content-type"]]
}

const table: [accept: string | undefined, type: string][] = [
  [undefined, json],
  ["*/*", json],
  ["application/json", json],
  ["text/csv", csv],
  ["TEXT/CSV", csv],
  ["text/tab-separated-values", tsv],
  ["text/csv, application/json;q=0.9", csv],
  ["text/csv;q=0.5, application/json", json],
  ["application/json;q=0.1, text/tab-separated-values;q=0.2", tsv],
  ["text/csv;q=0.8, text/tab-separated-values;q=0.9, */*;q=0.1", tsv],
  ["text/*", csv],
  ["text/*;q=0.5, text/tab-separated-values;q=0.6", tsv],
  ["text/csv;q=0, text/*", tsv],
  ["text/csv;q=0", json],
  ["text/csv;q=0, */*", json],
  ["application/json;q=0, text/csv;q=0.001", csv],
  ["*/*;q=0.9, text/csv", csv],
  ["text/csv;header=present;q=0.9, application/json;q=0.8", csv],
  ["text/csv ; q=0.9 , application/json ; q=0.8", csv],
  ["text/csv;q=2, application/json;q=0.1", json],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", json],
  ["application/x-ndjson", ndjson],
  ["application/json;q=0.5, application/x-ndjson", ndjson],
  ["application/*", json],
  ["application/vnd.apache.parquet", json],
  ["application/vnd.apache.parquet, text/csv;q=0.5", csv],
  ["text/html", json],
  ["application/xml", json],
  ["nonsense", json],
  [",,;;q=,", json],
]

test.each(table)("Accept: %s gets %s, on every list", async (accept, type) => {
  for (const path of [
    "/companies",
    "/tenements",
    "/reports",
    "/companies/BIG/tenements",
    "/companies/BIG/subsidiaries",
  ]) {
    expect([path, await typeOf(path, accept)]).toEqual([path, [200, type]])
  }
})

test.each([
  ["json", json],
  ["csv", csv],
  ["tsv", tsv],
  ["ndjson", ndjson],
])("The parameter format=%s takes precedence over Accept", async (format, type) => {
  for (const accept of [
    undefined,
    "application/json",
    "text/csv",
    "text/tab-separated-values",
    "text/html",
  ]) {
    expect(await typeOf(`/reports?format=${format}`, accept)).toEqual([200, type])
  }
})

test("Accept selects Parquet only for whole lists", async () => {
  const accept = "application/vnd.apache.parquet, text/csv;q=0.5"
  expect(await typeOf("/reports?all=true", accept)).toEqual([200, parquet])
  expect(await typeOf("/reports", accept)).toEqual([200, csv])
  expect(await typeOf("/reports?all=true", "*/*;q=0.1, text/csv")).toEqual([200, csv])
})

test("One record is always JSON", async () => {
  for (const path of ["/companies/BIG", "/tenements/NT-1", "/reports/a1"]) {
    for (const accept of [
      "text/csv",
      "text/tab-separated-values",
      "text/html",
      "application/json;q=0",
    ]) {
      expect(await typeOf(path, accept)).toEqual([200, json])
    }
  }
})
