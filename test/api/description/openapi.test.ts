/** The API's description is served to anyone, and describes every endpoint that is served and no other. */

import { expect, test } from "bun:test"
import { apiPaths } from "../../support/routes.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { readDocument } from "./document.ts"

const service = await serviceOfFile()

const ask = (init: RequestInit = {}, base = service.url) => fetch(`${base}/openapi.json`, init)
const described = (base = service.url) => readDocument(base)

test("The description needs no token, is open to any web site, and counts against no window", async () => {
  const response = await ask()
  expect(response.status).toBe(200)
  const {
    etag,
    "x-request-id": id,
    date,
    "content-length": length,
    ...headers
  } = Object.fromEntries(response.headers)
  expect(headers).toEqual({
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "ETag",
    "cache-control": "no-cache",
    "content-encoding": "zstd",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
    "content-type": "application/json",
    "referrer-policy": "no-referrer",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
  })
  expect([etag, id]).toEqual([expect.stringMatching(/^W\/"\S+"$/), expect.any(String)])
  const preflight = await ask({ method: "OPTIONS" })
  expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
    204,
    "GET, HEAD, OPTIONS",
  ])
})

test("HEAD has GET's headers, and a request with the current tag gets a 304", async () => {
  const plain = { "Accept-Encoding": "identity" }
  const [get, head] = [await ask({ headers: plain }), await ask({ method: "HEAD", headers: plain })]
  const shown = ({ headers }: Response) => {
    const { date, "x-request-id": id, ...others } = Object.fromEntries(headers)
    return others
  }
  expect([head.status, await head.text()]).toEqual([200, ""])
  expect(shown(head)).toEqual(shown(get))
  const etag = get.headers.get("etag") ?? ""
  const known = await ask({ headers: { "If-None-Match": etag } })
  expect([known.status, known.headers.get("etag"), await known.text()]).toEqual([304, etag, ""])
})

test("The description has exactly the endpoints under /api/v1", async () => {
  const { paths, openapi } = await described()
  expect(openapi).toBe("3.1.0")
  expect(Object.keys(paths).sort()).toEqual(apiPaths.toSorted())
})

test("Each operation has exactly the parameters that its endpoint accepts", async () => {
  const document = await described()
  for (const [path, { get }] of Object.entries(document.paths)) {
    const key = path.startsWith("/facets")
      ? String(get.parameters[0]?.schema.examples[0])
      : path.startsWith("/companies")
        ? "BIG"
        : path.startsWith("/tenements")
          ? "SA-0"
          : "a1"
    const url = path.replace(/\{\w+\}/, key)
    const refused = (await (await service.get(`${url}?no_such_parameter=1`)).json()) as {
      error: { details: { parameters: { allowed: string[] }[] } }
    }
    const query = get.parameters.filter((each) => each.in === "query").map((each) => each.name)
    expect([path, query]).toEqual([
      path,
      [...(refused.error.details.parameters[0]?.allowed ?? []), "_"],
    ])
  }
})

test("The description names the public address", async () => {
  const settings = { BASE_URL: "https://data.example.org/mds" }
  await using other = await testService({ beside: service, settings })
  expect((await described(other.url)).servers[0]?.url).toBe("https://data.example.org/mds/api/v1")
})
