/**
 * A response has a weak entity tag of its own, and a request with a tag that is still current is
 * gets 304 without reading a table (RFC 9110, sections 8.8.3 and 13.1.2).
 */
import { expect, test } from "bun:test"
import { awkward } from "../support/fixtures.ts"
import { type RequestOptions, serviceOfFile } from "../support/service.ts"
import { requestText, sendRaw } from "./raw-http.ts"

const service = await serviceOfFile()

const tagOf = async (path: string, init: RequestOptions = {}): Promise<string> => {
  const response = await service.get(path, init)
  expect(response.status).toBe(200)
  return response.headers.get("etag") ?? ""
}

test("Equivalent queries have the same tag", async () => {
  const { admin, standard } = service.tokens
  const equal = [
    "/companies?sort=name&page=1&search=a",
    "/companies?search=a&page=1&sort=name",
    "/companies?search=a",
    "/companies?search=a&order=asc&active=true&per_page=50&all=false",
    "/companies?search=%61&format=json",
    "/companies?search=a&_=12345",
    "/companies?&search=a&",
    `/companies?search=a&api_key=${admin}`,
    `/companies?api_key=${standard}&search=a`,
  ]
  const tags = await Promise.all(equal.map((path) => tagOf(path)))
  tags.push(await tagOf("/companies?search=a", { token: standard }))
  expect([...new Set(tags)]).toHaveLength(1)
  expect(tags[0]).toMatch(/^W\/"[!#-~]+"$/)
})

test("Different queries have different tags", async () => {
  const paths = [
    "/companies",
    "/companies?page=2",
    "/companies?per_page=10",
    "/companies?search=a",
    "/companies?search=A&sector=a",
    "/companies?sector=a",
    "/companies?active=false",
    "/companies?sort=market_cap",
    "/companies?order=desc",
    "/companies?format=csv",
    "/companies?format=csv&bom=true",
    "/companies?format=csv&formula_guard=false",
    "/companies?format=csv&all=true",
    "/companies?format=tsv",
    "/companies/BIG",
    "/companies/BIG/tenements",
    "/companies/BIG/subsidiaries",
    "/tenements",
    "/reports",
    "/reports?format=atom",
  ]
  const tags = await Promise.all(paths.map((path) => tagOf(path)))
  expect(new Set(tags).size).toBe(paths.length)
})

test("A format has the same tag by Accept and by parameter", async () => {
  const headers = { Accept: "text/csv" }
  expect(await tagOf("/tenements", { headers })).toBe(await tagOf("/tenements?format=csv"))
  expect(await tagOf("/tenements", { headers })).not.toBe(await tagOf("/tenements"))
})

const conditions: [name: string, condition: (tag: string) => string, status: number][] = [
  ["the tag", (tag) => tag, 304],
  ["the tag without W/", (tag) => tag.slice(2), 304],
  ["a list with the tag", (tag) => `"a", W/"b,c" ,${tag},"d"`, 304],
  ["a star", () => "*", 304],
  ["another tag", () => 'W/"1-other"', 200],
  ["a list of others", () => '"a", "b"', 200],
  ["the tag without quotes", (tag) => tag.replaceAll('"', ""), 200],
  ["part of the tag", (tag) => tag.replace(/.."$/, '"'), 200],
  ["nothing", () => "", 200],
]

test.each(conditions)("If-None-Match with %s", async (_, condition, status) => {
  for (const path of [
    "/tenements?state=NT",
    "/tenements?format=csv&all=true",
    "/tenements?format=parquet&all=true",
    "/reports?format=atom",
    "/facets/tenements/state?per_page=2&page=2",
    "/reports/a1",
  ]) {
    const headers = { "If-None-Match": condition(await tagOf(path)) }
    for (const method of ["GET", "HEAD"]) {
      const response = await service.get(path, { method, headers })
      expect([path, method, response.status]).toEqual([path, method, status])
    }
  }
})

test("If-None-Match: * on a missing record is 404", async () => {
  const headers = { "If-None-Match": "*" }
  expect((await service.get("/companies/ZZZ", { headers })).status).toBe(404)
  expect((await service.get("/companies/ZZZ/tenements", { headers })).status).toBe(404)
})

test.each(["GET", "HEAD"])(
  "A 304 to %s has the headers of the 200, and no body",
  async (method) => {
    const path = "/api/v1/tenements?state=NT"
    const authorization = { Authorization: `Bearer ${service.tokens.admin}` }
    const full = await sendRaw(service.port, requestText(path, authorization))
    const condition = { "If-None-Match": full.headers.etag ?? "" }
    const response = await sendRaw(
      service.port,
      requestText(path, { ...authorization, ...condition }, { method }),
      { bodiless: true },
    )
    expect([response.status, response.body]).toEqual([304, ""])
    for (const name of ["etag", "cache-control", "vary", "last-modified", "x-data-release"]) {
      expect([name, response.headers[name]]).toEqual([name, full.headers[name]])
    }
    expect(response.headers["content-type"]).toBeUndefined()
    // A length would have to be that of the 200 (RFC 9110, section 8.6).
    expect(response.headers["content-length"]).toBeUndefined()
  },
)

test("A new release changes tag, X-Data-Release and Last-Modified", async () => {
  const paths = ["/companies", "/companies/BIG", "/reports?format=csv", "/tenements/NT-1"]
  for (const path of paths) {
    const before = await service.get(path)
    const headers = { "If-None-Match": before.headers.get("etag") ?? "" }
    expect((await service.get(path, { headers })).status).toBe(304)
    await service.publish(awkward)
    const after = await service.get(path, { headers })
    expect(after.status).toBe(200)
    expect(await after.text()).toBe(await before.text())
    const [then, now] = [before, after].map(({ headers: shown }) => ({
      release: Number(shown.get("x-data-release")),
      time: Date.parse(shown.get("last-modified") ?? ""),
    }))
    expect(now).toEqual({ release: (then?.release ?? 0) + 1, time: (then?.time ?? 0) + 1000 })
  }
})

test("A 304 reads no table of data", async () => {
  const [list, one, whole] = ["/reports", "/reports/a1", "/reports?format=csv&all=true"]
  const tags = new Map<string, string>()
  for (const path of [list, one, whole]) tags.set(path, await tagOf(path))
  await service.sql`alter table reports rename to hidden`
  for (const [path, tag] of tags) {
    expect((await service.get(path, { headers: { "If-None-Match": tag } })).status).toBe(304)
  }
  await service.sql`alter table hidden rename to reports`
})
