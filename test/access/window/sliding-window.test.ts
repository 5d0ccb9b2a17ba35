/** No window ever contains more than the limit, and a request counts for exactly its window. */
import { describe, expect, test } from "bun:test"
import { createWindowStore } from "../../../src/access/window/sliding-window.ts"
import { seeded } from "../../support/seeded.ts"

const UNLIMITED = Number.POSITIVE_INFINITY

const maxBytes = 1_000_000
const HOUR_MS = 3_600_000

describe("a window", () => {
  test("admits up to the limit, and gives what remains and when the oldest request expires", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    expect(store.admit("a", 2, 1000)).toEqual({
      admitted: true,
      limit: 2,
      remaining: 1,
      resetAtMs: 1100,
    })
    expect(store.admit("a", 2, 1010)).toEqual({
      admitted: true,
      limit: 2,
      remaining: 0,
      resetAtMs: 1100,
    })
    expect(store.admit("a", 2, 1020)).toEqual({
      admitted: false,
      limit: 2,
      remaining: 0,
      resetAtMs: 1100,
    })
  })

  test("counts a request until exactly one window later", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    store.admit("a", 1, 1000)
    expect(store.admit("a", 1, 1099).admitted).toBe(false)
    expect(store.admit("a", 1, 1100)).toEqual({
      admitted: true,
      limit: 1,
      remaining: 0,
      resetAtMs: 1200,
    })
  })

  test("does not count a denied request", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    store.admit("a", 1, 0)
    for (let nowMs = 1; nowMs < 100; nowMs++)
      expect(store.admit("a", 1, nowMs).admitted).toBe(false)
    expect(store.admit("a", 1, 100).admitted).toBe(true)
  })

  test("belongs to its key alone", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    store.admit("a", 1, 0)
    expect(store.admit("b", 1, 0).admitted).toBe(true)
    expect(store.admit("a", 1, 0).admitted).toBe(false)
  })

  test("with nothing counted ends one window from now", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    expect(store.peek("a", 5, 1000)).toEqual({
      admitted: true,
      limit: 5,
      remaining: 5,
      resetAtMs: 1100,
    })
    expect(store.admit("a", 0, 1000)).toEqual({
      admitted: false,
      limit: 0,
      remaining: 0,
      resetAtMs: 1100,
    })
    expect(store.size).toBe(0)
  })

  test("can be peeked at without counting a request", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    store.admit("a", 1, 1000)
    for (let look = 0; look < 3; look++) {
      expect(store.peek("a", 1, 1050)).toEqual({
        admitted: false,
        limit: 1,
        remaining: 0,
        resetAtMs: 1100,
      })
    }
    expect(store.peek("a", 1, 1100).admitted).toBe(true)
    expect(store.size).toBe(0)
  })

  test("without a limit always admits and keeps no log", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    for (let call = 0; call < 10_000; call++) {
      expect(store.admit("a", UNLIMITED, 1000)).toEqual({
        admitted: true,
        limit: UNLIMITED,
        remaining: UNLIMITED,
        resetAtMs: 1100,
      })
    }
    expect(store.size).toBe(0)
    expect(store.admit("a", 1, 1000).remaining).toBe(0)
  })
})

describe("a change of limit", () => {
  test("upwards takes effect at once", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    store.admit("a", 1, 0)
    expect(store.admit("a", 1, 1).admitted).toBe(false)
    expect(store.admit("a", 3, 2)).toEqual({
      admitted: true,
      limit: 3,
      remaining: 1,
      resetAtMs: 100,
    })
  })

  test("downwards denies at once, until enough requests have expired", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    for (const nowMs of [0, 10, 20, 30]) store.admit("a", 10, nowMs)
    const denied = store.admit("a", 2, 40)
    expect(denied).toEqual({ admitted: false, limit: 2, remaining: 0, resetAtMs: 120 })
    expect(store.peek("a", 2, denied.resetAtMs - 1).admitted).toBe(false)
    expect(store.admit("a", 2, denied.resetAtMs).admitted).toBe(true)
  })

  test("downwards and back loses no request", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    for (const nowMs of [0, 10, 20, 30]) store.admit("a", 10, nowMs)
    store.admit("a", 1, 40)
    expect(store.peek("a", 10, 41).remaining).toBe(6)
  })

  test("across 10,000 expires no request before its time", () => {
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes })
    store.admit("a", 20_000, 1) // logged at 360
    store.admit("a", 2, 2) // not logged before the newest
    expect(store.peek("a", 2, HOUR_MS + 359)).toMatchObject({
      admitted: false,
      resetAtMs: HOUR_MS + 360,
    })
    expect(store.peek("a", 2, HOUR_MS + 360).remaining).toBe(2)
  })

  test("downwards from a million gives the time at which enough requests have expired", () => {
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes })
    for (let interval = 1; interval <= 3; interval++) {
      for (let call = 0; call < 5; call++) store.admit("a", 1_000_000, 360 * interval)
    }
    const resetOf = (limit: number) => store.peek("a", limit, 1080).resetAtMs - HOUR_MS
    expect([1, 5, 6, 10, 11, 15].map(resetOf)).toEqual([1080, 1080, 720, 720, 360, 360])
    expect(resetOf(16)).toBe(360)
  })
})

describe("a limit of up to 10,000", () => {
  test("is exact to the millisecond", () => {
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes })
    const startMs = 1_000_003
    for (let call = 0; call < 10_000; call++) {
      expect(store.admit("a", 10_000, startMs + 7 * call).remaining).toBe(9_999 - call)
    }
    for (let call = 0; call < 10_000; call++) {
      const leavesMs = startMs + 7 * call + HOUR_MS
      expect(store.admit("a", 10_000, leavesMs - 1)).toEqual({
        admitted: false,
        limit: 10_000,
        remaining: 0,
        resetAtMs: leavesMs,
      })
      expect(store.admit("a", 10_000, leavesMs).admitted).toBe(true)
    }
  })
})

describe("a limit past 10,000", () => {
  test("counts a request for its window and less than the resolution more, 360 ms for an hour", () => {
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes })
    const limit = 10_001
    const startMs = 360_000
    for (let call = 0; call < limit; call++) store.admit("a", limit, startMs + 1 + (call % 360))
    const resetAtMs = startMs + 360 + HOUR_MS
    expect(store.admit("a", limit, resetAtMs - 1)).toEqual({
      admitted: false,
      limit,
      remaining: 0,
      resetAtMs,
    })
    expect(store.admit("a", limit, resetAtMs).remaining).toBe(10_000)
  })

  test("admits a million where the limit is a million, and not one more", () => {
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes })
    const limit = 1_000_000
    const startMs = 1_700_000_000_123
    let admitted = 0
    for (let call = 0; call < limit; call++) {
      if (store.admit("a", limit, startMs + Math.floor(call * 3.6)).admitted) admitted++
    }
    expect(admitted).toBe(limit)
    const denied = store.admit("a", limit, startMs + HOUR_MS - 1)
    expect(denied).toMatchObject({ admitted: false, remaining: 0 })
    expect(denied.resetAtMs).toBeGreaterThanOrEqual(startMs + HOUR_MS)
    expect(denied.resetAtMs).toBeLessThan(startMs + HOUR_MS + 360)
    expect(store.peek("a", limit, denied.resetAtMs - 1).admitted).toBe(false)
    expect(store.peek("a", limit, denied.resetAtMs).admitted).toBe(true)
    expect(store.bytes).toBeLessThan(200_000)
  })

  test("in a window of seconds is exact to the millisecond, and never finer", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    expect(store.admit("a", 1_000_000, 1003).resetAtMs).toBe(1103)
  })
})

describe("a clock that steps backwards", () => {
  test("by less than a window expires nothing until it has caught up", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    store.admit("a", 2, 1000)
    store.admit("a", 2, 950)
    expect(store.admit("a", 2, 900)).toEqual({
      admitted: false,
      limit: 2,
      remaining: 0,
      resetAtMs: 1100,
    })
    expect(store.admit("a", 2, 1099).admitted).toBe(false)
    expect(store.admit("a", 2, 1100).admitted).toBe(true)
  })

  test("by days denies nobody for longer than one window, and gives times of the new clock", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes })
    store.admit("a", 1, 9_000_000)
    const denied = store.admit("a", 1, 5000)
    expect(denied).toEqual({ admitted: false, limit: 1, remaining: 0, resetAtMs: 5100 })
    expect(store.admit("a", 1, 5099).admitted).toBe(false)
    expect(store.admit("a", 1, 5100).admitted).toBe(true)
  })

  test.each([
    { case: "steps of any size, any number of times", stepChance: 0.05, lateMs: 0 },
    // Requests that are 100 ms apart by the clock may then be 96 ms apart in real time.
    { case: "times that arrive out of order", stepChance: 0, lateMs: 4 },
  ])("admits no more than the limit in real time: $case", ({ stepChance, lateMs }) => {
    const random = seeded(11)
    const below = (bound: number) => Math.floor(random() * bound)
    const [windowMs, limit] = [100, 5]
    const store = createWindowStore({ windowMs, maxBytes })
    const admittedAtMs: number[] = []
    let realMs = 0
    let behindMs = 0
    for (let step = 0; step < 50_000; step++) {
      realMs += below(12)
      if (random() < stepChance) behindMs += below(random() < 0.2 ? 5000 : 90)
      const state = store.admit("a", limit, realMs - behindMs - below(lateMs + 1))
      if (state.admitted) admittedAtMs.push(realMs)
    }
    expect(admittedAtMs.length).toBeGreaterThan(5_000)
    for (let index = limit; index < admittedAtMs.length; index++) {
      const spanMs = Number(admittedAtMs[index]) - Number(admittedAtMs[index - limit])
      expect(spanMs).toBeGreaterThanOrEqual(windowMs - lateMs)
    }
  })
})
