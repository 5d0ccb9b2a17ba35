/** Trace headers are read as W3C Trace Context says, and what is malformed is ignored. */
import { expect, test } from "bun:test"
import { readTraceContext, traceHeader } from "../../src/telemetry/trace-context.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const read = (headers: Record<string, string>) =>
  readTraceContext({ headers: new Headers(headers) })

test("a valid header names the caller's span, and whether its trace is recorded", () => {
  const context = { traceId, spanId, state: undefined }
  for (const [flags, isSampled] of [
    ["00", false],
    ["01", true],
    ["02", false],
    ["ff", true],
  ] as const) {
    expect(read({ traceparent: `00-${traceId}-${spanId}-${flags}` })).toEqual({
      ...context,
      isSampled,
    })
  }
})

test("a header of a later version is read as far as this one knows it", () => {
  const context = { traceId, spanId, isSampled: true, state: undefined }
  expect(read({ traceparent: `01-${traceId}-${spanId}-01` })).toEqual(context)
  expect(read({ traceparent: `cc-${traceId}-${spanId}-01-what-else` })).toEqual(context)
})

test.each([
  "",
  "x",
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-01-`,
  `01-${traceId}-${spanId}-01more`,
  `ff-${traceId}-${spanId}-01`,
  `0-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId.slice(1)}-${spanId}-01`,
  `00-${traceId}-${spanId}-0x`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01\u00e9`,
  "0".repeat(8_000),
])("a malformed header is ignored: %p", (traceparent) => {
  expect(read({ traceparent, tracestate: "a=b" })).toBeNull()
})

test("the state of other systems is kept, but not what is too long or looks like a token", () => {
  const traceparent = `00-${traceId}-${spanId}-01`
  expect(read({ traceparent, tracestate: "a=1,b=2" })?.state).toBe("a=1,b=2")
  expect(read({ traceparent, tracestate: `a=${"x".repeat(600)}` })?.state).toBeUndefined()
  expect(read({ traceparent, tracestate: "a=mds_ABCDEFGHIJKL" })?.state).toBeUndefined()
  expect(read({ tracestate: "a=1" })).toBeNull()
})

test("a span's header is read as that span", () => {
  for (const isSampled of [true, false]) {
    const context = { traceId, spanId, isSampled }
    expect(read({ traceparent: traceHeader(context) })).toEqual({ ...context, state: undefined })
  }
})
