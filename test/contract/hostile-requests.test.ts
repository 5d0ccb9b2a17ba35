/** Bad requests are the caller's fault: each has a clear response, and never a 5xx. */
import { expect, test } from "bun:test"
import { Random } from "../../src/sample/random.ts"
import { awkward } from "../support/fixtures.ts"
import { afterFile } from "../support/of-file.ts"
import { serviceOfFile } from "../support/service.ts"
import { crawl } from "./crawl.ts"
import { expectedLists } from "./oracle.ts"
import { type RawAnswer, requestText, sendRaw } from "./raw-http.ts"

const service = await serviceOfFile()
const authorization = { Authorization: `Bearer ${service.tokens.admin}` }

afterFile(async () => {
  for (const [path, records] of Object.entries(expectedLists(awkward))) {
    expect(await crawl(service, path, 100)).toEqual([...records])
  }
  expect(service.logLines.filter((line) => line.includes("request failed"))).toEqual([])
})

/** Requests a target byte for byte. */
const ask = (target: string, headers: Record<string, string> = {}, options = {}) =>
  sendRaw(
    service.port,
    Buffer.from(requestText(target, { ...authorization, ...headers }, options), "latin1"),
    { bodiless: "method" in options && options.method === "HEAD" },
  )

/** A 4xx names the fault in the error envelope; Bun's own rejection has no body. */
function expectClear(response: RawAnswer, what: string): void {
  expect([what, response.status >= 200 && response.status < 500]).toEqual([what, true])
  expect([what, response.complete]).toEqual([what, true])
  if (response.status < 400 || response.body === "") return
  const { error } = JSON.parse(response.body)
  expect([what, typeof error.code, typeof error.message]).toEqual([what, "string", "string"])
}

// One word a blank; what needs a blank or an escape of ours comes after.
const words = (text: string, ...more: string[]) => [...text.trim().split(/\s+/), ...more]

const pieces = words(
  `/ // .. . companies tenements reports subsidiaries BIG WA-E47-1234 a1 %2e%2e %2F %00 %ff % %zz
   %c3%28 %F0%9F%98%80 + ;x=1 @ : * ~ \\ ' " <script> {} | ^ $(id) é`,
  "\u00ff\u00fe",
  "`",
  "x".repeat(300),
)
const names = words(
  `page per_page format all bom formula_guard search sector active sort order state status type
   holder company from to api_key _ x %ff __proto__ page[] a.b`,
  "",
)
const values = words(
  `1 0 -1 99 csv tsv json true false name desc WA BIG 2026-02-30 2026-02-01 % %25 %00 %ff _ \\ 1e3
   %F0%9F%98%80 é a+b a%26b %ED%A0%80 null {} []`,
  "",
  "' or '1'='1",
  "'; drop table companies; --",
  "'||pg_sleep(5)||'",
  "$1",
  "9".repeat(30),
  "x".repeat(2_000),
)
const headerNames = words(
  `Accept Accept-Encoding If-None-Match X-Forwarded-For Range Content-Type Cookie Origin
   If-Modified-Since Expect Upgrade TE Prefer X-HTTP-Method-Override`,
)
const headerValues = words(
  `* */* W/" " ,,, bytes=0-1 multipart/form-data identity;q=0 gzip;q=x websocket DELETE`,
  "",
  "text/csv;q=0.1, */*;q=zz",
  "1.2.3.4, ::1, junk",
  "a=b; api_key=c",
  "\u00ff\u00fe",
  "x".repeat(4_000),
)
const methods = words("GET GET GET GET HEAD POST PUT DELETE OPTIONS PATCH TRACE PROPFIND")

test("500 hostile requests get valid responses and change nothing", async () => {
  const random = new Random(20_260_301)
  const some = (from: readonly string[], most: number): string[] =>
    Array.from({ length: random.below(most + 1) }, () => random.pick(from))
  for (let round = 0; round < 500; round++) {
    const path = some(pieces, 5).join(random.pick(["/", "/", ""]))
    const query = some(names, 4)
      .map((name) => `${name}=${random.pick(values)}`)
      .join("&")
    const headers = Object.fromEntries(
      some(headerNames, 3).map((name) => [name, random.pick(headerValues)]),
    )
    const method = random.pick(methods)
    const target = `/api/v1/${path}?${query}`.replaceAll(" ", "%20")
    const sent =
      round % 20 === 0 ? { ...headers, Authorization: random.pick(headerValues) } : headers
    const response = await ask(target, sent, { method })
    expectClear(response, `${method} ${target} ${JSON.stringify(headers)}`)
  }
})
