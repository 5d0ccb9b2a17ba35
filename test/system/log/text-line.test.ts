/** The log for people has a line for each event, which no value in it can forge or end. */
import { expect, test } from "bun:test"
import { createToken } from "../../../src/accounts/access/secret.ts"
import { createLog, type LogFields } from "../../../src/system/log/log.ts"
import { textLine } from "../../../src/system/log/text-line.ts"

function written(write: (log: ReturnType<typeof createLog>) => void, colours = false): string {
  let text = ""
  const append = (line: string) => {
    text += line
  }
  const at = new Date("2026-01-02T03:04:05.678Z")
  write(createLog(append, () => at, { level: "debug", format: textLine({ colours }) }))
  return text
}

const request: LogFields = {
  "mds.request_id": "5f0c",
  "http.request.method": "GET",
  "http.route": "/api/v1/reports",
  "url.path": "/api/v1/reports",
  "url.query": "company=BIG",
  "http.response.status_code": 200,
  duration_ms: 1.5,
  "mds.cache": "hit",
}

test("A request is shown by its status, method, duration and target, aligned", () => {
  const text = written((log) => {
    log.info("request", request)
    log.info("request", { ...request, "http.request.method": "OPTIONS", duration_ms: 1234.5 })
    log.info("request", { ...request, "url.query": "", "http.response.status_code": 404 })
  })
  expect(text).toBe(
    [
      "2026-01-02 03:04:05.678 info  200 GET        1.5 ms  /api/v1/reports?company=BIG  mds.request_id=5f0c http.route=/api/v1/reports mds.cache=hit",
      "2026-01-02 03:04:05.678 info  200 OPTIONS 1234.5 ms  /api/v1/reports?company=BIG  mds.request_id=5f0c http.route=/api/v1/reports mds.cache=hit",
      "2026-01-02 03:04:05.678 info  404 GET        1.5 ms  /api/v1/reports  mds.request_id=5f0c http.route=/api/v1/reports mds.cache=hit",
      "",
    ].join("\n"),
  )
})

test("Any other event is shown with its fields, and an error's stack on lines of its own", () => {
  const text = written((log) => {
    log.debug("started", {
      port: 3000,
      host: "",
      note: "two words",
      of: { a: [1] },
      none: null,
      no: undefined,
    })
    log.error("request failed", { error: "Error: odd\n    at f (x.ts:1)", code: "X" })
  })
  expect(text).toBe(
    [
      '2026-01-02 03:04:05.678 debug started  port=3000 host="" note="two words" of={"a":[1]} none=null',
      "2026-01-02 03:04:05.678 error request failed  code=X",
      "    Error: odd",
      "        at f (x.ts:1)",
      "",
    ].join("\n"),
  )
})

test("No value can begin a line, move the cursor, change colours or look like another field", () => {
  const hostile = [
    "\n2026-01-02 03:04:05.678 error forged",
    "\r2026",
    "\u001b[2J\u001b[31m",
    "\u009b2J",
    "\u0007\u0008\u007f",
    "\u2028\u2029\u0085\u000b\u000c",
    "\u202e\u2066\u200f",
    "x level=error",
    'x" level="error',
    "\ud800",
  ]
  for (const value of hostile) {
    for (const fields of [
      { ...request, "url.path": value },
      { ...request, "url.query": value },
      { value },
      { [value]: 1 },
      { error: value },
    ]) {
      for (const event of ["request", "odd"]) {
        const lines = written((log) => log.info(event, fields)).split("\n")
        expect(lines.pop()).toBe("")
        const [first = "", ...others] = lines
        expect(first).toStartWith("2026-01-02 03:04:05.678 info  ")
        for (const line of others) expect(line).toStartWith("    ")
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f]/u)
        }
        expect(first.replace(/"(\\.|[^"\\])*"/g, '""')).not.toMatch(/ level=error/)
      }
    }
  }
})

test("Every token in text is cut to its prefix", () => {
  const token = createToken()
  const text = written((log) => log.info(token, { [token]: token, error: token }))
  expect(text).toContain(`${token.slice(0, 12)}…`)
  expect(text).not.toContain(token.slice(12, 20))
})

test("Colours appear only on request and are reset", () => {
  const plain = written((log) => log.warn("odd", request))
  expect(plain).not.toContain("\u001b")
  for (const event of ["request", "odd"]) {
    const coloured = written((log) => log.warn(event, request), true)
    const [, ...sequences] = coloured.split("\u001b[")
    expect(sequences.length).toBeGreaterThan(1)
    expect(sequences.at(-1)).toStartWith("0m")
    expect(Bun.stripANSI(coloured)).toBe(written((log) => log.warn(event, request)))
  }
})
