/** Bad requests are the caller's fault: each has a clear answer, and never a 5xx. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Random } from "../../src/sample/random.ts"
import { awkward } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { crawl } from "./crawl.ts"
import { expectedLists } from "./oracle.ts"
import { collect, opened, type RawAnswer, requestText, sendRaw, until } from "./raw-http.ts"

let service: TestService
let authorization: { Authorization: string }

beforeAll(async () => {
  service = await testService()
  authorization = { Authorization: `Bearer ${service.tokens.admin}` }
})

afterAll(async () => {
  for (const [path, records] of Object.entries(expectedLists(awkward))) {
    expect(await crawl(service, path, 100)).toEqual([...records])
  }
  expect(service.logLines.filter((line) => line.includes("request failed"))).toEqual([])
  await service.stop()
})

/** Asks for a target as it stands, byte by byte. */
const ask = (target: string, headers: Record<string, string> = {}, options = {}) =>
  sendRaw(
    service.port,
    Buffer.from(requestText(target, { ...authorization, ...headers }, options), "latin1"),
    { bodiless: "method" in options && options.method === "HEAD" },
  )

/** A 4xx tells what is wrong in the error envelope; a refusal of Bun's own has no body. */
function expectClear(answer: RawAnswer, what: string): void {
  expect([what, answer.status >= 200 && answer.status < 500]).toEqual([what, true])
  expect([what, answer.complete]).toEqual([what, true])
  if (answer.status < 400 || answer.body === "") return
  const { error } = JSON.parse(answer.body)
  expect([what, typeof error.code, typeof error.message]).toEqual([what, "string", "string"])
}

const pieces = [
  "/",
  "//",
  "..",
  ".",
  "companies",
  "tenements",
  "reports",
  "subsidiaries",
  "BIG",
  "WA-E47-1234",
  "a1",
  "%2e%2e",
  "%2F",
  "%00",
  "%ff",
  "%",
  "%zz",
  "%c3%28",
  "%F0%9F%98%80",
  "\u00ff\u00fe",
  "+",
  ";x=1",
  "@",
  ":",
  "*",
  "~",
  "\\",
  "'",
  '"',
  "<script>",
  "{}",
  "|",
  "^",
  "`",
  "$(id)",
  "é",
  "x".repeat(300),
]
const names = [
  "page",
  "per_page",
  "format",
  "all",
  "bom",
  "formula_guard",
  "search",
  "sector",
  "active",
  "sort",
  "order",
  "state",
  "status",
  "type",
  "holder",
  "company",
  "from",
  "to",
  "api_key",
  "_",
  "x",
  "%ff",
  "",
  "__proto__",
  "page[]",
  "a.b",
]
const values = [
  "",
  "1",
  "0",
  "-1",
  "99",
  "csv",
  "tsv",
  "json",
  "true",
  "false",
  "name",
  "desc",
  "WA",
  "BIG",
  "2026-02-30",
  "2026-02-01",
  "%",
  "%25",
  "%00",
  "%ff",
  "_",
  "\\",
  "' or 1=1 --",
  "1e3",
  "9".repeat(30),
  "%F0%9F%98%80",
  "\u00e9",
  "a+b",
  "a%26b",
  "x".repeat(2_000),
  "%ED%A0%80",
  "null",
  "{}",
  "[]",
]
const headerNames = [
  "Accept",
  "Accept-Encoding",
  "If-None-Match",
  "X-Forwarded-For",
  "Range",
  "Content-Type",
  "Cookie",
  "Origin",
  "If-Modified-Since",
  "Expect",
  "Upgrade",
  "TE",
  "Prefer",
  "X-HTTP-Method-Override",
]
const headerValues = [
  "",
  "*",
  "*/*",
  "text/csv;q=0.1, */*;q=zz",
  'W/"',
  '"',
  ",,,",
  "1.2.3.4, ::1, junk",
  "bytes=0-1",
  "multipart/form-data",
  "a=b; api_key=c",
  "identity;q=0",
  "gzip;q=x",
  "websocket",
  "\u00ff\u00fe",
  "x".repeat(4_000),
  "DELETE",
]
const methods = [
  "GET",
  "GET",
  "GET",
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
  "TRACE",
  "PROPFIND",
]

test("a thousand random paths, queries and headers", async () => {
  const random = new Random(20_260_301, "hostile")
  const some = (from: readonly string[], most: number): string[] =>
    Array.from({ length: random.below(most + 1) }, () => random.pick(from))
  for (let round = 0; round < 1_000; round++) {
    const path = some(pieces, 5).join(random.pick(["/", "/", ""]))
    const query = some(names, 4)
      .map((name) => `${name}=${random.pick(values)}`)
      .join("&")
    const headers = Object.fromEntries(
      some(headerNames, 3).map((name) => [name, random.pick(headerValues)]),
    )
    const method = random.pick(methods)
    const target = `/api/v1/${path}?${query}`.replaceAll(" ", "%20")
    const asked =
      round % 20 === 0 ? { ...headers, Authorization: random.pick(headerValues) } : headers
    const answer = await ask(target, asked, { method })
    expectClear(answer, `${method} ${target} ${JSON.stringify(headers)}`)
  }
})

test.each([
  ["HTTP/1.0 without a Host", "GET /api/v1/companies HTTP/1.0\r\nAUTH\r\n\r\n", 200],
  ["HTTP/1.0 with a Host", "GET /api/v1/companies HTTP/1.0\r\nHost: x\r\nAUTH\r\n\r\n", 200],
  ["an empty Host", "GET /api/v1/companies HTTP/1.1\r\nHost:\r\nAUTH\r\n\r\n", 200],
  ["a short Host", "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n", 200],
  ["a Host with a port", "GET /api/v1/companies HTTP/1.1\r\nHost: a:1\r\nAUTH\r\n\r\n", 200],
  ["a Host of blanks", "GET /api/v1/companies HTTP/1.1\r\nHost: a b\r\nAUTH\r\n\r\n", 200],
  ["a Host with a path", "GET /api/v1/companies HTTP/1.1\r\nHost: a/b?c#d\r\nAUTH\r\n\r\n", 200],
  ["a Host that is no name", "GET /api/v1/companies HTTP/1.1\r\nHost: [::1\r\nAUTH\r\n\r\n", 200],
  ["a Host of commas", "GET /api/v1/companies HTTP/1.1\r\nHost: ,,%00,@\r\nAUTH\r\n\r\n", 200],
  ["a port out of range", "GET /api/v1/companies HTTP/1.1\r\nHost: a:99999\r\nAUTH\r\n\r\n", 200],
  [
    "a whole URL as the target",
    "GET http://other.example/api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    200,
  ],
  [
    "a body on GET",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nAUTH\r\n\r\n{{",
    200,
  ],
])("%s is answered", async (_, text, status) => {
  const answer = await sendRaw(
    service.port,
    text.replace("AUTH", `Authorization: ${authorization.Authorization}`),
  )
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body).meta.total).toBe(33)
})

const unsent: [what: string, text: string, code: string | null][] = [
  ["no Host", "GET /api/v1/companies HTTP/1.1\r\nAUTH\r\n\r\n", null],
  [
    "raw bytes in the path",
    "GET /api/v1/companies/\xff\xfe HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "NOT_FOUND",
  ],
  [
    "raw bytes in a value",
    "GET /api/v1/companies?search=\xff HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "INVALID_PARAMETER",
  ],
  [
    "raw bytes in a name",
    "GET /api/v1/companies?\xff=1 HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "INVALID_PARAMETER",
  ],
  [
    "raw bytes in an unknown path",
    "GET /api/v1/\xff HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "NOT_FOUND",
  ],
  [
    "raw bytes in the token",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \xff\r\n\r\n",
    "UNAUTHORIZED",
  ],
  [
    "a DEL in a value",
    "GET /api/v1/companies?search=\x7f HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
    "INVALID_PARAMETER",
  ],
  [
    "a NUL in a header",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nAccept: \0\r\nAUTH\r\n\r\n",
    null,
  ],
  ["a target without a slash", "GET api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n", null],
  ["an asterisk as the target", "GET * HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n", null],
  [
    "a header without a colon",
    "GET /api/v1/companies HTTP/1.1\r\nHost: a\r\nnonsense\r\nAUTH\r\n\r\n",
    null,
  ],
  [
    "a URL too long",
    `GET /api/v1/companies?search=${"x".repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    null,
  ],
]

test.each(unsent)("%s is refused", async (_, text, code) => {
  const answer = await sendRaw(service.port, withToken(text))
  expect(answer.status).toBeWithin(400, 500)
  // What is no HTTP never reaches the service: Bun refuses it with a status alone.
  expect(answer.body === "" ? null : JSON.parse(answer.body).error.code).toBe(code)
})

test.each([
  ["a NUL in the path", "GET /api/v1/companies/\0 HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n"],
  [
    "a control character in the query",
    "GET /api/v1/companies?search=\x01 HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n",
  ],
  ["an unknown version", "GET /api/v1/companies HTTP/3.7\r\nHost: a\r\nAUTH\r\n\r\n"],
  ["an unknown method", "BREW /api/v1/companies HTTP/1.1\r\nHost: a\r\nAUTH\r\n\r\n"],
  ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
])("%s ends the connection before the service sees it, and others go on", async (_, text) => {
  const [lines, socket] = [service.logLines.length, await opened(service.port)]
  const received = collect(socket)
  socket.write(withToken(text))
  await until(() => received.closed)
  expect(received.bytes().toString()).toMatch(
    /^(HTTP\/1.1 (400|505) [A-Za-z ]+\r\nConnection: close\r\n\r\n)?$/,
  )
  expect(service.logLines).toHaveLength(lines)
  expect((await service.get("/companies")).status).toBe(200)
})

function withToken(text: string): Uint8Array {
  return Buffer.from(
    text.replace("AUTH", `Authorization: ${authorization.Authorization}`),
    "latin1",
  )
}

const injections = [
  "' or '1'='1",
  "'; drop table companies; --",
  '" or ""="',
  "1) or (1=1",
  "x' union select sha256 from tokens --",
  "%' or '%'='",
  "\\' or 1=1 --",
  "$1",
  "{}",
  "'||pg_sleep(5)||'",
  "0; select pg_sleep(5)",
  "*/ or /*",
  "a' and 1=cast((select prefix from tokens limit 1) as int) --",
]

test.each(injections)("SQL in a parameter, %j, is text like any other", async (sql) => {
  const value = encodeURIComponent(sql)
  const texts: [path: string, names: string[]][] = [
    ["/companies", ["search", "sector"]],
    ["/tenements", ["status", "type", "holder"]],
    ["/companies/BIG/tenements", ["status"]],
    ["/reports", ["company", "type", "search"]],
  ]
  for (const [path, parameters] of texts) {
    for (const name of parameters) {
      for (const format of ["json", "csv&all=true"]) {
        const answer = await service.get(`${path}?${name}=${value}&format=${format}`)
        expect([path, name, answer.status]).toEqual([path, name, 200])
        expect(answer.headers.get("x-total-count")).toBe("0")
      }
    }
  }
  const strict = [
    "page",
    "per_page",
    "sort",
    "order",
    "active",
    "format",
    "all",
    "bom",
    "state",
    "from",
    "to",
  ]
  for (const name of strict) {
    const path = name === "state" ? "/tenements" : /from|to/.test(name) ? "/reports" : "/companies"
    expect((await service.get(`${path}?${name}=${value}`)).status).toBe(400)
  }
  for (const path of ["/companies/", "/tenements/", "/reports/"]) {
    expect((await service.get(`${path}${value}`)).status).toBe(404)
  }
  expect((await service.get(`/companies/${value}/tenements`)).status).toBe(404)
})
