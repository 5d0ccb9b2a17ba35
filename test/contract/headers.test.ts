/**
 * Every response has the headers of its kind: rate limit (interface specification, section 8),
 * links between pages (RFC 8288), CORS, and for HEAD those of GET (RFC 9110, section 9.3.2).
 */
import { expect, test } from "bun:test"
import { awkward } from "../support/fixtures.ts"
import { enterpriseLimit, type RequestOptions, serviceOfFile } from "../support/service.ts"
import { readList } from "./bodies.ts"
import { requestText, sendRaw } from "./raw-http.ts"

const { length } = awkward.tenements

const service = await serviceOfFile({ settings: { BASE_URL: "https://data.example.com/" } })
const etag = (await service.get("/tenements")).headers.get("etag") ?? ""
for (let count = 0; count < enterpriseLimit; count++) {
  await service.get("/companies", { token: service.tokens.enterprise })
}

type Kind = "data" | "error" | "preflight"
const responses: [name: string, path: string, init: RequestOptions, status: number, kind: Kind][] =
  [
    ["a list", "/tenements", {}, 200, "data"],
    ["a company's list", "/companies/BIG/tenements", {}, 200, "data"],
    ["a record", "/reports/a1", {}, 200, "data"],
    ["a HEAD", "/tenements", { method: "HEAD" }, 200, "data"],
    ["a CSV", "/tenements?format=csv", {}, 200, "data"],
    ["a TSV", "/tenements?format=tsv", {}, 200, "data"],
    ["an export", "/tenements?format=csv&all=true", {}, 200, "data"],
    ["a HEAD of an export", "/tenements?format=csv&all=true", { method: "HEAD" }, 200, "data"],
    ["a 304", "/tenements", { headers: { "If-None-Match": etag } }, 304, "data"],
    ["a 400", "/tenements?page=0", {}, 400, "error"],
    ["a 400 of the path", "/tenements/%ff", {}, 400, "error"],
    ["a 401", "/tenements", { token: null }, 401, "error"],
    ["a 404", "/tenements/none", {}, 404, "error"],
    ["a 404 of the path", "/none", {}, 404, "error"],
    ["a HEAD of nothing", "/none", { method: "HEAD" }, 404, "error"],
    ["a 405", "/tenements", { method: "POST" }, 405, "error"],
    ["a 429", "/tenements", { token: service.tokens.enterprise }, 429, "error"],
    ["a preflight", "/tenements", { method: "OPTIONS", token: null }, 204, "preflight"],
  ]

test.each(responses)(
  "%s has the headers of every response",
  async (_, path, init, status, kind) => {
    const response = await service.get(path, init)
    expect(response.status).toBe(status)
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.headers.get("vary")).toBe("Authorization, Accept, Accept-Encoding")
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.has("access-control-allow-credentials")).toBe(false)
    expect(response.headers.has("set-cookie")).toBe(false)
    const rate = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
    for (const name of rate) {
      expect([name, /^\d+$/.test(response.headers.get(name) ?? "")]).toEqual([
        name,
        kind !== "preflight",
      ])
    }
    for (const name of ["RateLimit", "RateLimit-Policy"]) {
      expect([name, response.headers.has(name)]).toEqual([name, false])
    }
    const data = ["ETag", "Last-Modified", "X-Data-Release"]
    for (const name of data) expect(response.headers.has(name)).toBe(kind === "data")
    const caching = { data: "private, no-cache", error: "no-store", preflight: null }
    expect(response.headers.get("cache-control")).toBe(caching[kind])
    expect(response.headers.has("retry-after")).toBe(status === 429)
    expect(response.headers.has("www-authenticate")).toBe(status === 401)
  },
)

test("HEAD returns the status and headers of GET without a body", async () => {
  const { admin } = service.tokens
  const paths = [
    "tenements?per_page=3&page=2",
    "reports?format=csv",
    "companies/BIG",
    "reports?format=csv&all=true",
    "reports?format=ndjson&all=true",
    "reports?format=tsv&all=true",
    "reports?format=parquet&all=true",
    ...["csv", "tsv", "ndjson", "geojson", "parquet"].map(
      (format) => `tenements?format=${format}&all=true&holder=no-one`,
    ),
    "none",
    "reports?page=0",
  ]
  for (const [path, coding] of paths.flatMap((each) => [
    [each, "identity"],
    [each, "gzip"],
  ])) {
    const sent = { Authorization: `Bearer ${admin}`, "Accept-Encoding": coding ?? "" }
    const ask = (method: string, bodiless: boolean) =>
      sendRaw(service.port, requestText(`/api/v1/${path}`, sent, { method }), { bodiless })
    const [get, head] = [await ask("GET", false), await ask("HEAD", true)]
    expect(head.status).toBe(get.status)
    expect(head.body).toBe("")
    expect(head.headers).toHaveProperty("date")
    const ofThisRequest = ["x-request-id", "date", "cache-status"]
    const kept = (headers: object) =>
      Object.entries(headers)
        .filter(([name]) => !ofThisRequest.includes(name))
        .sort()
    expect([path, coding, kept(head.headers)]).toEqual([path, coding, kept(get.headers)])
  }
})

test("A list has headers with its totals and links under the public address", async () => {
  const linksOf = async (path: string) =>
    ((await service.get(path)).headers.get("link") ?? "").split(", ")
  const to = (page: number, rel: string, rest = "per_page=3") =>
    `<https://data.example.com/api/v1/tenements?${rest}${rel === "first" ? "" : "&as_of=1"}&page=${page}>; rel="${rel}"`
  const { headers } = await service.get("/tenements?per_page=3")
  expect(headers.get("x-total-count")).toBe(String(length))
  expect(headers.get("x-total-pages")).toBe("4")
  const [first, last] = [to(1, "first"), to(4, "last")]
  const ofSecond = [first, to(1, "prev"), to(3, "next"), last]
  const today = service.clock.now.toISOString().slice(0, 10)
  for (const [query, links] of Object.entries({
    "": [first, to(2, "next"), last],
    "&page=2": ofSecond,
    "&page=4": [first, to(3, "prev"), last],
    "&page=9": [first, to(4, "prev"), last],
    "&page=2&as_of=1": ofSecond,
    [`&page=2&as_of=${today}`]: ofSecond,
  })) {
    expect([query, ...(await linksOf(`/tenements?per_page=3${query}`))]).toEqual([query, ...links])
  }
  const hostile = "holder=a%3E%3B%20rel%3D%22x%22%2C%20%26%3Cb"
  expect(await linksOf(`/tenements?${hostile}`)).toEqual([to(1, "first", hostile)])
})

test("A slash at the end of a path changes neither the response nor its links", async () => {
  const { hash = "" } = awkward.reports[0] ?? {}
  for (const path of [
    "/tenements",
    "/companies/BIG/tenements",
    "/facets/tenements/state",
    `/reports/${hash}`,
    "/reports?format=atom",
  ]) {
    const [plain, slashed] = await Promise.all(
      [path, path.replace(/(?=\?|$)/, "/")].map((each) => service.get(each)),
    )
    expect([path, slashed?.status, await slashed?.text()]).toEqual([path, 200, await plain?.text()])
    for (const name of ["etag", "link"]) {
      expect([path, name, slashed?.headers.get(name)]).toEqual([
        path,
        name,
        plain?.headers.get(name),
      ])
    }
  }
  for (const path of ["/reports//", "//reports", "/companies//tenements"]) {
    expect([path, (await service.get(path)).status]).toEqual([path, 404])
  }
})

test("Following next leads through all pages, with every parameter but api_key kept", async () => {
  const { admin } = service.tokens
  const codes: unknown[] = []
  let next: string | undefined = "companies?sort=market_cap&order=desc&per_page=4&search=e&_=7"
  for (let pages = 0; next && pages < 20; pages++) {
    const response: Response = await service.get(`/${next}&api_key=${admin}`, { token: null })
    const link = response.headers.get("link") ?? ""
    expect(link).not.toContain("api_key")
    expect(link.match(/&_=7>/g)).toHaveLength(link.split(",").length)
    expect(link).not.toContain(admin.slice(0, 12))
    const { data } = await readList(response)
    codes.push(...data.map(({ asx_code }) => asx_code))
    next = /<https:\/\/data\.example\.com\/api\/v1\/([^>]*)>; rel="next"/.exec(link)?.[1]
  }
  const whole = await service.get("/companies?sort=market_cap&order=desc&per_page=100&search=e")
  const { data } = await readList(whole)
  expect(codes).toEqual(data.map(({ asx_code }) => asx_code))
})

test("An export has its number of records in a header, also for HEAD, which starts none", async () => {
  const before = service.logLines.length
  const authorization = { Authorization: `Bearer ${service.tokens.admin}` }
  for (const method of ["GET", "HEAD"]) {
    const target = "/api/v1/tenements?format=csv&all=true"
    const { headers } = await sendRaw(
      service.port,
      requestText(target, authorization, { method }),
      { bodiless: method === "HEAD" },
    )
    expect(headers["x-total-count"]).toBe(String(length))
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present")
    // It does not claim that the export is empty.
    for (const name of ["link", "x-total-pages", "content-length"]) {
      expect([method, name, headers[name]]).toEqual([method, name, undefined])
    }
  }
  const exports = service.logLines.slice(before).filter((line) => line.includes("export ended"))
  expect(exports).toHaveLength(1)
})

test("A preflight needs no token, is not counted, and allows the headers that clients send", async () => {
  const headers = { Origin: "https://example.org", "Access-Control-Request-Method": "GET" }
  for (let count = 0; count < 3; count++) {
    const init = { method: "OPTIONS", token: null, headers }
    for (const path of ["", "/companies", "/companies/BIG/tenements", "/nothing"]) {
      const response = await service.get(path, init)
      expect(response.status).toBe(204)
      expect(response.headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS")
      expect(response.headers.get("access-control-allow-headers")).toContain("Authorization")
    }
  }
  const anonymous = await service.get("/companies", { token: null })
  const counted = (await service.logged())
    .map((line) => JSON.parse(line))
    .filter((line) => line["http.response.status_code"] === 401).length
  expect(anonymous.headers.get("x-ratelimit-remaining")).toBe(String(1000 - counted))
})
