/** A client that waits as the headers of the rate limit say is never early, and waits less than a second too long. */
import { expect, test } from "bun:test"
import { toHeaders } from "../../../src/api/http/rate-limit-headers.ts"

const NOW_MS = 1_767_322_800_000

test("A client that waits for the time in either header is never early", () => {
  for (let offsetMs = 0; offsetMs < 3_000; offsetMs += 7) {
    const nowMs = NOW_MS + offsetMs
    const resetAtMs = nowMs + ((offsetMs * 31) % 2_500)
    const headers = toHeaders({ admitted: false, limit: 1, remaining: 0, resetAtMs }, nowMs)
    expect(Number(headers["X-RateLimit-Reset"]) * 1000).toBeGreaterThanOrEqual(resetAtMs)
    expect(nowMs + Number(headers["Retry-After"]) * 1000).toBeGreaterThanOrEqual(resetAtMs)
    expect(Number(headers["Retry-After"])).toBeGreaterThanOrEqual(1)
  }
})

test("A wait is never negative after the reset", () => {
  const state = { admitted: false, limit: 1, remaining: 0, resetAtMs: NOW_MS - 5_000 }
  const headers = toHeaders(state, NOW_MS)
  expect(headers["Retry-After"]).toBe("1")
})
