import { describe, expect, test } from "bun:test"
import { createWindowStore } from "../../src/access/sliding-window.ts"

const UNLIMITED = Number.POSITIVE_INFINITY

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe("a window", () => {
  test("admits up to the limit, and tells what is left and when the oldest leaves", () => {
    const store = createWindowStore({ windowMs: 100 })
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
    const store = createWindowStore({ windowMs: 100 })
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
    const store = createWindowStore({ windowMs: 100 })
    store.admit("a", 1, 0)
    for (let nowMs = 1; nowMs < 100; nowMs++)
      expect(store.admit("a", 1, nowMs).admitted).toBe(false)
    expect(store.admit("a", 1, 100).admitted).toBe(true)
  })

  test("belongs to its key alone", () => {
    const store = createWindowStore({ windowMs: 100 })
    store.admit("a", 1, 0)
    expect(store.admit("b", 1, 0).admitted).toBe(true)
    expect(store.admit("a", 1, 0).admitted).toBe(false)
  })

  test("with nothing counted ends one window from now", () => {
    const store = createWindowStore({ windowMs: 100 })
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

  test("can be looked at without being used", () => {
    const store = createWindowStore({ windowMs: 100 })
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
    const store = createWindowStore({ windowMs: 100 })
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
  test("upwards opens the window at once", () => {
    const store = createWindowStore({ windowMs: 100 })
    store.admit("a", 1, 0)
    expect(store.admit("a", 1, 1).admitted).toBe(false)
    expect(store.admit("a", 3, 2)).toEqual({
      admitted: true,
      limit: 3,
      remaining: 1,
      resetAtMs: 100,
    })
  })

  test("downwards closes it at once, until as many have left as it takes to be admitted", () => {
    const store = createWindowStore({ windowMs: 100 })
    for (const nowMs of [0, 10, 20, 30]) store.admit("a", 10, nowMs)
    const denied = store.admit("a", 2, 40)
    expect(denied).toEqual({ admitted: false, limit: 2, remaining: 0, resetAtMs: 120 })
    expect(store.peek("a", 2, denied.resetAtMs - 1).admitted).toBe(false)
    expect(store.admit("a", 2, denied.resetAtMs).admitted).toBe(true)
  })

  test("downwards and back forgets nothing", () => {
    const store = createWindowStore({ windowMs: 100 })
    for (const nowMs of [0, 10, 20, 30]) store.admit("a", 10, nowMs)
    store.admit("a", 1, 40)
    expect(store.peek("a", 10, 41).remaining).toBe(6)
  })
})

describe("a clock that steps backwards", () => {
  test("by less than a window opens nothing until it is again where it was", () => {
    const store = createWindowStore({ windowMs: 100 })
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

  test("by days shuts nobody out for longer than one window, and tells times of the new clock", () => {
    const store = createWindowStore({ windowMs: 100 })
    store.admit("a", 1, 9_000_000)
    const denied = store.admit("a", 1, 5000)
    expect(denied).toEqual({ admitted: false, limit: 1, remaining: 0, resetAtMs: 5100 })
    expect(store.admit("a", 1, 5099).admitted).toBe(false)
    expect(store.admit("a", 1, 5100).admitted).toBe(true)
  })

  test.each([
    { case: "steps of any size, any number of times", stepChance: 0.05, lateMs: 0 },
    // What is 100 ms apart on the clock may then be 96 ms apart in truth.
    { case: "times that arrive out of order", stepChance: 0, lateMs: 4 },
  ])("admits no more than the limit in real time: $case", ({ stepChance, lateMs }) => {
    const random = seeded(11)
    const below = (bound: number) => Math.floor(random() * bound)
    const [windowMs, limit] = [100, 5]
    const store = createWindowStore({ windowMs })
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

describe("memory", () => {
  test("is given back by later calls for other keys", () => {
    const store = createWindowStore({ windowMs: 100 })
    for (let key = 0; key < 1000; key++) store.admit(`old ${key}`, 5, 0)
    expect(store.size).toBe(1000)
    for (let call = 0; call < 500; call++) store.admit("new", 1000, 100)
    expect(store.size).toBe(1)
  })

  test("never holds more keys than allowed, however many call", () => {
    const store = createWindowStore({ windowMs: 1000, maxKeys: 50 })
    for (let key = 0; key < 10_000; key++) {
      expect(store.admit(`address ${key}`, 5, key % 7).admitted).toBe(true)
      expect(store.size).toBeLessThanOrEqual(50)
    }
  })

  test("that runs short costs the key longest without a call its log, and no other", () => {
    const store = createWindowStore({ windowMs: 1000, maxKeys: 3 })
    store.admit("a", 1, 0)
    store.admit("b", 1, 1)
    store.admit("c", 1, 2)
    store.admit("a", 1, 3) // denied, but not idle
    store.admit("d", 1, 4)
    const open = (key: string) => store.peek(key, 1, 5).admitted
    expect({ a: open("a"), b: open("b"), c: open("c"), d: open("d") }).toEqual({
      a: false,
      b: true,
      c: false,
      d: false,
    })
  })

  test("that runs short does not let a caller out that keeps calling", () => {
    const store = createWindowStore({ windowMs: 1_000_000, maxKeys: 100 })
    store.admit("abuser", 1, 0)
    for (let flood = 1; flood < 5000; flood++) {
      store.admit(`address ${flood}`, 1, flood)
      if (flood % 50 === 0) expect(store.admit("abuser", 1, flood).admitted).toBe(false)
    }
  })
})

/** The rule itself: every admitted time, filtered anew on each call. */
class Oracle {
  private readonly admittedAtMs = new Map<string, number[]>()
  private latestMs = 0

  constructor(private readonly windowMs: number) {}

  ask(key: string, limit: number, nowMs: number, takes: boolean) {
    if (limit === UNLIMITED) {
      return { admitted: true, limit, remaining: limit, resetAtMs: nowMs + this.windowMs }
    }
    this.latestMs = Math.max(this.latestMs, nowMs)
    const counted = (this.admittedAtMs.get(key) ?? []).filter(
      (timeMs) => timeMs + this.windowMs > this.latestMs,
    )
    const admitted = counted.length < limit
    if (admitted && takes) counted.push(this.latestMs)
    this.admittedAtMs.set(key, counted)
    const [firstMs = this.latestMs] = limit < 1 ? [] : counted.slice(-limit)
    const remaining = Math.max(0, limit - counted.length)
    return { admitted, limit, remaining, resetAtMs: firstMs + this.windowMs }
  }
}

describe("against the rule computed naively", () => {
  test.each([1, 2, 3, 4, 5, 6])("every answer is the same (seed %i)", (seed) => {
    const random = seeded(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    const windowMs = 500
    const store = createWindowStore({ windowMs })
    const oracle = new Oracle(windowMs)
    const limits = [0, 1, 2, 3, 7, 40, 150, 1000, UNLIMITED]
    const limitOf = new Map<string, number>()
    let nowMs = 10_000
    let latestMs = nowMs
    let paceMs = 1

    for (let step = 0; step < 20_000; step++) {
      // The pace changes, so that logs fill to hundreds, shrink and run empty.
      if (random() < 0.002) paceMs = [0, 1, 3, 40][below(4)] ?? 1
      nowMs += below(paceMs + 1)
      if (random() < 0.001) nowMs += below(3 * windowMs)
      latestMs = Math.max(latestMs, nowMs)
      // A clock further behind than one window counts as corrected; that has its own tests above.
      if (random() < 0.01) nowMs = Math.max(nowMs - below(windowMs / 4), latestMs - windowMs)
      const key = `key ${below(random() < 0.7 ? 1 : 8)}`
      if (random() < 0.01) limitOf.set(key, limits[below(limits.length)] ?? 1)
      const limit = limitOf.get(key) ?? 100
      const takes = random() < 0.9
      const state = takes ? store.admit(key, limit, nowMs) : store.peek(key, limit, nowMs)
      expect(state).toEqual(oracle.ask(key, limit, nowMs, takes))
    }
  })
})
