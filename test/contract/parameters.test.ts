/**
 * Parameters are parsed strictly: every fault is reported in one response with status 400, and no
 * value is guessed.
 */
import { expect, test } from "bun:test"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf } from "./bodies.ts"

const service = await serviceOfFile()

const faultsIn = (path: string) => faultsOf(service, path)

const { MAX_SAFE_INTEGER } = Number
const exactPage = `Must be an integer from 1 to ${MAX_SAFE_INTEGER}`
const perPage = "Must be an integer from 1 to 100"
const noDate = "Must be a date that exists, as YYYY-MM-DD"
const twice = "Must be given once"
const empty = "Must not be empty"
const notUtf8 = "Is not valid UTF-8"
const oneOf = (...allowed: string[]) => ({
  message: `Must be one of ${allowed.join(", ")}`,
  allowed,
})
const boolean = oneOf("true", "false")
const format = oneOf("json", "csv", "tsv", "ndjson", "parquet")
const state = oneOf("WA", "NSW", "QLD", "VIC", "SA", "TAS", "NT")

type Expected = string | { message: string; allowed?: string[] }
const each = (path: string, name: string, values: string[], fault: Expected) =>
  values.map((value) => [`${path}?${name}=${value}`, name, fault] as const)

const noIntegers = [
  ..."1e3 0x10 +5 %2B5 %205 5%20 5.0 5. 05 00 0 -1 -0 abc 1,000 NaN null %D9%A1 1%00".split(" "),
  "9007199254740992",
  "1".repeat(400),
]
const noDates = [
  ..."2026-02-30 2025-02-29 1900-02-29 2026-13-01 2026-00-10 2026-01-00 0000-01-01".split(" "),
  ..."2026-1-1 20260101 2026-01-01T00:00:00Z 01-01-2026 today -2026-01-01 10000-01-01".split(" "),
]

test.each([
  ...each("/reports", "page", noIntegers, exactPage),
  ...each("/companies/BIG/subsidiaries", "page", ["%20"], exactPage),
  ...each("/tenements", "per_page", [...noIntegers, "101", "1000"], perPage),
  ...each("/reports", "from", noDates, noDate),
  ...each("/reports", "to", noDates, noDate),
  ...each("/companies", "active", ["1", "yes", "on", "true%20", "%20"], boolean),
  ...each("/companies", "bom", ["1"], boolean),
  ...each("/companies", "formula_guard", ["0"], boolean),
  ...each(
    "/companies",
    "sort",
    ["company_name", "name,asx_code", "-name"],
    oneOf("name", "market_cap", "asx_code", "total_tenements"),
  ),
  ...each("/companies", "order", ["ascending"], oneOf("asc", "desc")),
  ...each("/companies", "format", ["xlsx", "json,csv"], format),
  ...each("/companies/BIG/tenements", "state", ["ACT", "WA,NSW"], state),
  ...each("/companies", "search", ["%00", "a%1Fb", "%7F"], "Must not contain control characters"),
  ...each("/companies", "search", ["%ff", "%C3%28", "%", "%zz", "%E0%A4%A", "%ED%A0%80"], notUtf8),
  ...each("/companies", "search", ["A%EF%BF%BDB"], notUtf8),
  ...each("/tenements", "holder", ["A%EF%BF%BDB"], notUtf8),
  ...each("/tenements", "status", ["%ff", "%C3%28"], notUtf8),
  ...each("/tenements", "held_by", ["%ff"], notUtf8),
  ...["as_of", "updated_since", "removed_since"].map(
    (name) => [`/tenements?${name}=`, name, empty] as const,
  ),
  ["/companies/BIG?as_of", "as_of", empty],
  ...each("/tenements", "granted_from", ["2026-02-30", "2026", "today"], noDate),
  ...each("/tenements", "expires_to", ["2026-1-1", "20260101"], noDate),
  ...each(
    "/tenements",
    "sort",
    ["type", "-id"],
    oneOf("id", "grant_date", "expiry_date", "area_km2"),
  ),
  ["/reports?from=2026-02-02&to=2026-02-01", "from", "Must not be after to"],
  [
    "/tenements?granted_from=2026-01-02&granted_to=2026-01-01",
    "granted_from",
    "Must not be after granted_to",
  ],
  [
    "/companies/BIG/tenements?expires_from=2026-01-02&expires_to=2026-01-01",
    "expires_from",
    "Must not be after expires_to",
  ],
])("%s: %s", async (path, parameter, fault) => {
  const stated = typeof fault === "string" ? { message: fault } : fault
  expect(await faultsIn(path)).toEqual([{ parameter, ...stated }])
})

test.each(["page=1&page=1", "page=1&page=2", "sort=name&sort=name", "_=1&_=2", "search=&search=a"])(
  "The parameter %s occurs twice",
  async (query) => {
    const [parameter = ""] = query.split("=")
    expect(await faultsIn(`/companies?${query}`)).toEqual([{ parameter, message: twice }])
  },
)

test.each([
  "/companies?sector",
  "/tenements?status",
  "/tenements?type",
  "/tenements?held_by",
  "/reports?type",
])("A record may have U+FFFD, so a filter for a whole value takes it: %s", async (path) => {
  for (const value of ["%EF%BF%BD", "A%EF%BF%BDB"])
    expect((await service.get(`${path}=${value}`)).status).toBe(200)
})

test("A token that occurs twice is a repeated parameter", async () => {
  const query = `api_key=${service.tokens.admin}&api_key=${service.tokens.admin}`
  expect(await faultsIn(`/companies?${query}`)).toEqual([{ parameter: "api_key", message: twice }])
})

test("An api_key without a value is absent, with a header and without", async () => {
  const anonymous = await (await service.get("/companies", { token: null })).text()
  for (const path of ["/companies", "/companies/BIG", "/facets/companies/sector", "/usage"]) {
    for (const query of ["api_key=", "api_key", "%61pi_key="]) {
      expect((await service.get(`${path}?${query}`)).status).toBe(200)
      const response = await service.get(`${path}?${query}`, { token: null })
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="mds"',
      ])
      expect(await response.text()).toBe(anonymous)
    }
  }
})

/** Each as a spreadsheet writes it, and as the service documents it. */
const spellings: [path: string, sent: string, documented: string][] = [
  ["/companies", "active=TRUE&search=&sector=&sort=NAME&order=ASC", ""],
  ["/companies", "active=False&all=FALSE&page=&per_page=&api_key=", "active=false"],
  ["/tenements", "state=wa&search=&sort=ID&held_by=&bbox=&near=&granted_from=", "state=WA"],
  [
    "/companies/BIG/tenements",
    "state=Nsw&sort=Expiry_Date&order=DESC&format=JSON&expires_to=",
    "state=NSW&sort=expiry_date&order=desc&format=json",
  ],
  [
    "/tenements",
    "format=Csv&all=True&page=&per_page=&bom=TRUE&formula_guard=FALSE",
    "format=csv&all=true&bom=true&formula_guard=false",
  ],
  ["/tenements/NT-1", "format=GeoJSON", "format=geojson"],
  [
    "/reports",
    "from=2026-01-02&to=&timezone=australia/sydney&group=Drilling&company=",
    "from=2026-01-02&timezone=Australia/Sydney&group=drilling",
  ],
  ["/facets/tenements/state", "search=&type=&state=nt&page=", "state=NT"],
  ["/sources", "format=CSV&all=", "format=csv"],
]

test.each(spellings)("%s?%s is ?%s", async (path, sent, documented) => {
  const shown = async (query: string) => {
    const response = await service.get(`${path}?${query}`)
    const names = ["etag", "link", "content-type", "content-disposition"]
    const headers = names.map((name) => response.headers.get(name))
    return [response.status, ...headers, await response.text()]
  }
  const expected = await shown(documented)
  expect(expected[0]).toBe(200)
  expect(await shown(sent)).toEqual(expected)
})

const ofTenements = [
  "page",
  "per_page",
  "state",
  "status",
  "type",
  "holder",
  "held_by",
  "search",
  "company",
  "granted_from",
  "granted_to",
  "expires_from",
  "expires_to",
  "bbox",
  "near",
  "sort",
  "order",
  "as_of",
  "updated_since",
  "removed_since",
  "changed",
  "fields",
  "format",
  "all",
  "bom",
  "formula_guard",
]

test("The error for a date-time whose + became a space says how to write it", async () => {
  const sent = "updated_since=2026-01-02T03:04:05+10:00"
  expect(await faultsIn(`/tenements?${sent}`)).toEqual([
    {
      parameter: "updated_since",
      message: "Has a space in place of the + of its zone: write the + as %2B",
    },
  ])
  expect((await service.get(`/tenements?${sent.replace("+", "%2B")}`)).status).toBe(200)
})

test.each([
  ["perPage", "per_page"],
  ["per-page", "per_page"],
  ["PAGE", "page"],
  ["pages", "page"],
  ["stat", "state"],
  ["holders", "holder"],
  ["formats", "format"],
])("The error for an unknown %s suggests %s", async (parameter, meant) => {
  expect(await faultsIn(`/tenements?${parameter}=1`)).toEqual([
    { parameter, message: `Unknown parameter; did you mean ${meant}?`, allowed: ofTenements },
  ])
})

test.each(["limit", "__proto__", "x".repeat(500), "page%00", "state[]"])(
  "The error for an unknown %s without a similar name lists the known names",
  async (name) => {
    const [fault] = await faultsIn(`/tenements?${name}=1`)
    expect(fault).toMatchObject({ parameter: decodeURIComponent(name), allowed: ofTenements })
  },
)

test("Free text has at most 200 characters, however many bytes each takes", async () => {
  const fault = { parameter: "holder", message: "Must have at most 200 characters" }
  for (const tooLong of ["x".repeat(201), "x".repeat(15_000), "%F0%9F%98%80".repeat(201)]) {
    expect(await faultsIn(`/tenements?holder=${tooLong}`)).toEqual([fault])
  }
  for (const longest of ["x".repeat(200), "%F0%9F%98%80".repeat(200)]) {
    expect((await service.get(`/tenements?holder=${longest}`)).status).toBe(200)
  }
})

test("The parameter all=true needs an export format and no page", async () => {
  const needs = {
    parameter: "all",
    message: "Needs format csv, tsv, ndjson or parquet",
    allowed: ["csv", "tsv", "ndjson", "parquet"],
  }
  const paged = (parameter: string) => ({
    parameter,
    message: "Must not be given together with all=true",
  })
  expect(await faultsIn("/companies?all=true")).toEqual([needs])
  expect(await faultsIn("/companies?all=true&format=json")).toEqual([needs])
  const allowed = [...needs.allowed, "geojson"]
  const message = "Needs format csv, tsv, ndjson, parquet or geojson"
  expect(await faultsIn("/tenements?all=true")).toEqual([{ parameter: "all", message, allowed }])
  expect(await faultsIn("/reports?all=true&format=csv&page=1")).toEqual([paged("page")])
  expect(await faultsIn("/reports?all=true&format=csv&page=0")).toEqual([
    { parameter: "page", message: exactPage },
  ])
  expect(await faultsIn("/reports?all=true&format=csv&page=1&page=2")).toEqual([
    { parameter: "page", message: twice },
  ])
  expect(await faultsIn("/reports?per_page=5&all=true&format=tsv")).toEqual([paged("per_page")])
  expect((await service.get("/companies?all=false&page=2")).status).toBe(200)
  for (const accept of ["text/csv", "application/x-ndjson", "application/vnd.apache.parquet"]) {
    const headers = { Accept: accept }
    expect((await service.get("/companies?all=true", { headers })).status).toBe(200)
  }
})

test("Parquet needs all=true", async () => {
  const needs = { parameter: "format", message: "parquet needs all=true" }
  expect(await faultsIn("/companies?format=parquet")).toEqual([needs])
  expect(await faultsIn("/companies?format=parquet&page=2&all=false")).toEqual([needs])
})

test("One response lists every invalid parameter", async () => {
  const query =
    "page=0&per_page=101&sort=x&order=x&active=maybe&color=red&bom=%ff&search=a&search=b"
  const faults = await faultsIn(`/companies?${query}`)
  expect(faults.map(({ parameter }) => parameter).sort()).toEqual([
    "active",
    "bom",
    "color",
    "order",
    "page",
    "per_page",
    "search",
    "sort",
  ])
})

test("_ is accepted with any value, and empty pairs are skipped", async () => {
  for (const query of ["_=", "_", "_=%20x", "_=1&page=1", "&&page=1&"]) {
    expect([query, (await service.get(`/companies?${query}`)).status]).toEqual([query, 200])
    expect((await service.get(`/companies/BIG?${query.replace("page=1", "")}`)).status).toBe(200)
  }
})

test("A response lists at most 20 invalid parameters and the number of others", async () => {
  const unknown = (count: number) => Array.from({ length: count }, (_, index) => `x${index}=1`)
  const detailsOf = async (query: string[]) => {
    const response = await service.get(`/tenements?${query.join("&")}`)
    const body = await response.text()
    expect([response.status, body.length < 10_000]).toEqual([400, true])
    const { details } = JSON.parse(body).error
    return {
      ...details,
      parameters: details.parameters.map((fault: { parameter: string }) => fault.parameter),
    }
  }
  const first = Array.from({ length: 20 }, (_, index) => `x${index}`)
  expect(await detailsOf(unknown(20))).toEqual({ parameters: first })
  expect(await detailsOf(unknown(21))).toEqual({ parameters: first, more: 1 })
  expect(await detailsOf([...unknown(1_800), "page=0", "state=no"])).toEqual({
    parameters: first,
    more: 1_782,
  })
})

test("Two spellings of one query share the cached response and the page sequence", async () => {
  const read = async (query: string) => {
    const { headers } = await service.get(`/tenements?per_page=1&${query}`)
    return ["etag", "cache-status", "x-data-release"].map((name) => headers.get(name))
  }
  const [tag] = await read("state=NT")
  expect(await read("search=&state=nt&sort=ID")).toEqual([tag ?? "", "mds; hit", "1"])
  await service.publish(none)
  expect((await read("state=Nt&order=ASC&page=2"))[2]).toBe("1")
})
