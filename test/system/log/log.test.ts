/** Every line of the log is one JSON object, and contains no whole token. */
import { expect, test } from "bun:test"
import { createToken } from "../../../src/accounts/access/secret.ts"
import { createLog, describeError, jsonLine } from "../../../src/system/log/log.ts"

function logged(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  write(
    createLog(
      (line) => lines.push(line),
      () => new Date("2026-01-02T03:04:05.678Z"),
    ),
  )
  return lines
}

test("A line is one JSON object with the time, the level, the event and its fields", () => {
  const lines = logged((log) => {
    log.info("started", { port: 1, note: "two\nlines" })
    log.warn("odd")
    log.error("broken", { level: "error" })
  })
  expect(lines).toEqual([
    '{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"started","port":1,"note":"two\\nlines"}\n',
    '{"time":"2026-01-02T03:04:05.678Z","level":"warn","event":"odd"}\n',
    '{"time":"2026-01-02T03:04:05.678Z","level":"error","event":"broken"}\n',
  ])
})

test("Every token in the log is cut to its prefix", () => {
  const [first, second] = [createToken(), createToken()]
  const fields = { [first]: { deep: [`a ${first}, ${second}`, `x${second}y`] } }
  const [line = ""] = logged((log) => log.info(first, fields))
  for (const token of [first, second]) {
    expect(line).toContain(`${token.slice(0, 12)}…`)
    expect(line).not.toContain(token.slice(12, 20))
    expect(line).not.toContain(token.slice(-10))
  }
  expect(() => JSON.parse(line)).not.toThrow()
})

test("A prefix without the rest of the token is not changed", () => {
  const prefix = createToken().slice(0, 12)
  expect(logged((log) => log.info("revoked", { prefix }))[0]).toContain(`"prefix":"${prefix}"`)
})

test("An error is described with its stack, its code and its causes", () => {
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
  const described = describeError(new Error("Cannot read the list", { cause }))
  expect(described).toEqual({
    error: expect.stringContaining("Error: Cannot read the list"),
    cause: { error: expect.stringContaining("Error: refused"), code: "ECONNREFUSED" },
  })
})

test("A cause that is its own cause is described a few levels deep", () => {
  const error = new Error("odd")
  error.cause = error
  expect(JSON.stringify(describeError(error)).match(/Error: odd/g)).toHaveLength(5)
})

test("Lines below the level are omitted", () => {
  const levels = ["error", "warn", "info", "debug"] as const
  const shown = levels.map((level) => {
    const events: string[] = []
    const write = (line: string) => events.push(JSON.parse(line).event)
    const log = createLog(write, () => new Date(0), { level, format: jsonLine })
    for (const each of levels) log[each](each)
    return events
  })
  expect(shown).toEqual(levels.map((_, index) => levels.slice(0, index + 1)))
})

/** Characters that end a line for readers, and commands for terminals. */
const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code))
  .filter((character) => /[^ -~]/.test(character))
  .concat("\u2028", "\u2029")

test("Every line is one JSON object without control characters", () => {
  for (const text of [...controls, "\ud800", '","level":"error","x":"', "\\", "\u202e", "é😀"]) {
    const [line = "", ...others] = logged((log) => log.info("request", { [text]: text, text }))
    expect(others).toEqual([])
    expect(line).toEndWith("}\n")
    expect(controls.filter((control) => line.slice(0, -1).includes(control))).toEqual([])
    expect(JSON.parse(line)).toMatchObject({ level: "info", event: "request", [text]: text, text })
  }
})

test("A value that JSON cannot express is logged with the reason", () => {
  const circular: { self?: unknown } = {}
  circular.self = circular
  for (const fields of [circular, { count: 1n }]) {
    const [line = ""] = logged((log) => log.warn("odd", fields))
    expect(JSON.parse(line)).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      level: "warn",
      event: "odd",
      unwritable: expect.stringMatching(/cyclic|BigInt/i),
    })
  }
})

test("A thrown value that is not an Error is described as text", () => {
  expect(describeError("just so")).toEqual({ error: "just so" })
  expect(describeError(undefined)).toEqual({ error: "undefined" })
})
