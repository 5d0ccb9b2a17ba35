/** No window ever contains more than the limit, and a request counts for exactly its window. */
import { describe, expect, test } from "bun:test"
import { createWindowStore } from "../../../../src/accounts/access/window/sliding-window.ts"
import { createWindows } from "../../../../src/accounts/access/windows.ts"
import { seeded } from "../../../../src/sample/random.ts"

const hourMs = 3_600_000
const storeOf = (windowMs = 100, maxBytes = 100_000_000) => createWindowStore(windowMs, maxBytes)

/** The rule itself: a list of the times of all admitted requests. */
function createModel(windowMs: number) {
  const timesOf = new Map<string, number[]>()
  return (key: string, limit: number, nowMs: number, counts: boolean) => {
    const times = (timesOf.get(key) ?? []).filter((time) => time + windowMs > nowMs)
    timesOf.set(key, times)
    const admitted = times.length < limit
    if (admitted && counts) times.push(nowMs)
    const firstMs = times[Math.max(0, times.length - limit)] ?? nowMs
    return { admitted, used: times.length, waitMs: firstMs + windowMs - nowMs }
  }
}

test("Every decision equals that of a naive implementation", () => {
  const random = seeded(1)
  const below = (bound: number) => Math.floor(random() * bound)
  const windowMs = 500
  const store = storeOf(windowMs)
  const model = createModel(windowMs)
  const limits = [1, 2, 3, 7, 40, 150, 1000]
  const limitOf = new Map<string, number>()
  let nowMs = 10_000
  let paceMs = 1
  for (let step = 0; step < 20_000; step++) {
    // The rate changes, so that logs grow to hundreds, shrink and become empty.
    if (random() < 0.002) paceMs = [0, 1, 3, 40][below(4)] ?? 1
    nowMs += below(paceMs + 1)
    if (random() < 0.001) nowMs += below(3 * windowMs)
    const key = `key ${below(random() < 0.7 ? 1 : 8)}`
    if (random() < 0.01) limitOf.set(key, limits[below(limits.length)] ?? 1)
    const limit = limitOf.get(key) ?? 100
    const counts = random() < 0.9
    const decision = counts ? store.admit(key, limit, nowMs) : store.peek(key, limit, nowMs)
    expect(decision).toEqual(model(key, limit, nowMs, counts))
  }
})

describe("The memory of a store", () => {
  const bytesOf = (limit: number) => {
    const store = storeOf(hourMs)
    for (let call = 0; call < limit; call++) store.admit("a", limit, call)
    return store.bytes
  }

  test("The store releases memory as requests leave their window", () => {
    const store = storeOf(10_000)
    for (let nowMs = 0; nowMs < 9_000; nowMs++) store.admit("a", 10_000, nowMs)
    expect(store.bytes).toBeGreaterThan(72_000)
    store.admit("a", 10_000, 18_990)
    expect(store.bytes).toBeLessThan(1_000)
    store.peek("a", 10_000, 28_990)
    store.peek("b", 10_000, 28_990)
    expect([store.bytes, store.size]).toEqual([0, 0])
  })

  test("The store stays within its memory budget, however many keys there are", () => {
    const maxBytes = 500_000
    const store = storeOf(hourMs, maxBytes)
    for (let call = 0; call < 20_000; call++) {
      expect(store.admit(`address ${call}`, 1, call).admitted).toBe(true)
      expect(store.bytes).toBeLessThanOrEqual(maxBytes)
    }
    expect(store.bytes).toBeGreaterThan(0.99 * maxBytes)
    expect(store.size + store.evicted).toBe(20_000)
  })

  test("The store evicts the least recently used key, never an active caller", () => {
    const store = storeOf(1_000_000, 100 * bytesOf(1))
    store.admit("denied", 1, 0)
    for (let flood = 1; flood < 5_000; flood++) {
      store.admit(`address ${flood}`, 1, flood)
      if (flood % 50 === 0) expect(store.admit("denied", 1, flood).admitted).toBe(false)
    }
    expect(store.peek("address 1", 1, 5_000).admitted).toBe(true)
  })

  test("The store counts only evictions of keys with unexpired requests", () => {
    const evictions = (gapMs: number) => {
      const store = storeOf(1_000, 10 * bytesOf(1))
      for (let key = 0; key < 20; key++) store.admit(`${key}`, 1, key * gapMs)
      return store.evicted
    }
    expect([evictions(1), evictions(200)]).toEqual([10, 0])
  })
})

test("A clock that is set back or forward admits no more requests", async () => {
  let nowMs = Date.UTC(2026, 0, 2)
  const { accounts } = createWindows({
    windowMs: 3_600_000,
    redis: null,
    secret: "",
    now: () => new Date(nowMs),
    steadyMs: () => 1_000,
  })
  const admits = async () => (await accounts.admit("7", 1)).admitted
  expect(await admits()).toBe(true)
  for (const days of [-1, 2]) {
    nowMs += days * 86_400_000
    expect(await admits()).toBe(false)
  }
})
