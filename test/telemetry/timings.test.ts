/** The value of Server-Timing names what took time, in a fixed order, in milliseconds. */
import { expect, test } from "bun:test"
import { createTimings } from "../../src/telemetry/timings.ts"

test("what happened more than once is added up, and statements are counted", () => {
  const timings = createTimings()
  timings.add("encode", 0.25)
  timings.add("statements", 1.5)
  timings.add("token", 0.001234)
  timings.add("statements", 2)
  timings.add("encode", 0.5)
  expect(timings.header(12.3456)).toBe(
    'token;dur=0.001, statements;dur=3.5;desc="2", encode;dur=0.75, total;dur=12.346',
  )
})

test("where nothing was measured there is the total alone", () => {
  expect(createTimings().header(0)).toBe("total;dur=0")
})
