/** The sliding window decides as a naive implementation of its rule does. */
import { describe, expect, test } from "bun:test"
import { createWindowStore } from "../../../src/access/window/sliding-window.ts"
import { seeded } from "../../support/seeded.ts"

const UNLIMITED = Number.POSITIVE_INFINITY
const maxBytes = 10_000_000

/** The rule itself: a list of the times of all admitted requests. */
class Oracle {
  private readonly timesOf = new Map<string, number[]>()
  private latestMs = 0

  constructor(private readonly windowMs: number) {}

  ask(key: string, limit: number, nowMs: number, takes: boolean) {
    if (limit === UNLIMITED) {
      return { admitted: true, limit, remaining: limit, resetAtMs: nowMs + this.windowMs }
    }
    this.latestMs = Math.max(this.latestMs, nowMs)
    const times = this.timesOf.get(key) ?? []
    this.timesOf.set(key, times)
    while (Number(times[0]) + this.windowMs <= this.latestMs) times.shift()
    const admitted = times.length < limit
    if (admitted && takes) times.push(Math.max(times.at(-1) ?? 0, this.logged(limit)))
    const firstMs = limit < 1 ? undefined : times[Math.max(0, times.length - limit)]
    return {
      admitted,
      limit,
      remaining: Math.max(0, limit - times.length),
      resetAtMs: (firstMs ?? this.latestMs) + this.windowMs,
    }
  }

  private logged(limit: number): number {
    if (limit <= 10_000) return this.latestMs
    const resolutionMs = Math.ceil(this.windowMs / 10_000)
    return Math.ceil(this.latestMs / resolutionMs) * resolutionMs
  }
}

describe("compared with the naive implementation", () => {
  test.each([1, 2, 3, 4, 5, 6])("every answer is the same (seed %i)", (seed) => {
    const random = seeded(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    const windowMs = 500
    const store = createWindowStore({ windowMs, maxBytes })
    const oracle = new Oracle(windowMs)
    const limits = [0, 1, 2, 3, 7, 40, 150, 1000, 10_000, UNLIMITED]
    const limitOf = new Map<string, number>()
    let nowMs = 10_000
    let latestMs = nowMs
    let paceMs = 1

    for (let step = 0; step < 20_000; step++) {
      // The rate changes, so that logs grow to hundreds, shrink and become empty.
      if (random() < 0.002) paceMs = [0, 1, 3, 40][below(4)] ?? 1
      nowMs += below(paceMs + 1)
      if (random() < 0.001) nowMs += below(3 * windowMs)
      latestMs = Math.max(latestMs, nowMs)
      // Only steps of less than a window: larger ones have tests of their own.
      if (random() < 0.01) nowMs = Math.max(nowMs - below(windowMs / 4), latestMs - windowMs)
      const key = `key ${below(random() < 0.7 ? 1 : 8)}`
      if (random() < 0.01) limitOf.set(key, limits[below(limits.length)] ?? 1)
      const limit = limitOf.get(key) ?? 100
      const takes = random() < 0.9
      const state = takes ? store.admit(key, limit, nowMs) : store.peek(key, limit, nowMs)
      expect(state).toEqual(oracle.ask(key, limit, nowMs, takes))
    }
  })

  test.each([
    { case: "a limit of 10,000, often reached", seed: 1, limits: [10_000] },
    { case: "limits that change below 10,000", seed: 2, limits: [100, 3_000, 9_999, 10_000] },
    { case: "limits that change across 10,000", seed: 3, limits: [9_999, 10_000, 10_001, 15_000] },
    { case: "limits that change widely", seed: 4, limits: [0, 1, 5_000, 10_000, 20_000, 2 ** 31] },
  ])("every answer is the same while a log fills to thousands: $case", ({ seed, limits }) => {
    const random = seeded(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    const windowMs = 24_001 // a resolution of 3 ms
    const store = createWindowStore({ windowMs, maxBytes })
    const oracle = new Oracle(windowMs)
    let nowMs = 1_000_000
    let limit: number = limits[0] ?? 1
    let paceMs = 2
    let denied = 0

    for (let step = 0; step < 120_000; step++) {
      if (random() < 0.0005) limit = limits[below(limits.length)] ?? 1
      if (random() < 0.0005) paceMs = [1, 1, 2, 3, 10][below(5)] ?? 1
      nowMs += below(paceMs + 1)
      if (random() < 0.00005) nowMs += below(2 * windowMs)
      const takes = random() < 0.95
      const state = takes ? store.admit("a", limit, nowMs) : store.peek("a", limit, nowMs)
      if (!state.admitted) denied++
      expect(state).toEqual(oracle.ask("a", limit, nowMs, takes))
    }
    expect(denied).toBeGreaterThan(1_000)
  })
})

describe("a limit past 10,000, in real time", () => {
  test.each([
    { windowMs: 20_001, limit: 10_001, resolutionMs: 3 },
    { windowMs: 30_000, limit: 20_000, resolutionMs: 3 },
    { windowMs: 99_999, limit: 12_345, resolutionMs: 10 },
    { windowMs: 3_600_000, limit: 11_000, resolutionMs: 360 },
  ])("admits no more per window, and denies no one early: $limit per $windowMs ms", (each) => {
    const { windowMs, limit, resolutionMs } = each
    const random = seeded(limit)
    const store = createWindowStore({ windowMs, maxBytes })
    const admittedAtMs: number[] = []
    let nowMs = 5_000_000
    let burst = 1
    let denied = 0
    let early = 0

    for (let step = 0; step < 200_000; step++) {
      if (random() < 0.001) burst = [0.2, 1, 1, 5][Math.floor(random() * 4)] ?? 1
      nowMs += Math.floor((random() * windowMs) / limit / burst + random())
      if (store.admit("a", limit, nowMs).admitted) admittedAtMs.push(nowMs)
      else {
        denied++
        const oldestMs = admittedAtMs.at(-limit) ?? Number.NEGATIVE_INFINITY
        if (oldestMs + windowMs + resolutionMs <= nowMs) early++
      }
    }
    expect(admittedAtMs.length).toBeGreaterThan(4 * limit)
    expect(denied).toBeGreaterThan(1_000)
    expect(early).toBe(0)
    let shortestMs = Number.POSITIVE_INFINITY
    for (let index = limit; index < admittedAtMs.length; index++) {
      const spanMs = Number(admittedAtMs[index]) - Number(admittedAtMs[index - limit])
      shortestMs = Math.min(shortestMs, spanMs)
    }
    expect(shortestMs).toBeGreaterThanOrEqual(windowMs)
    expect(shortestMs).toBeLessThan(windowMs + resolutionMs)
  })
})
