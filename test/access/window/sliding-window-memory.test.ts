/** The memory of the windows follows the traffic and stays within its budget. */
import { describe, expect, test } from "bun:test"
import { createWindowStore } from "../../../src/access/window/sliding-window.ts"
import { seeded } from "../../support/seeded.ts"

const HOUR_MS = 3_600_000
const NO_BUDGET = Number.POSITIVE_INFINITY

/** The memory of a key of this length with one admitted request. */
function bytesOfKey(length: number): number {
  const store = createWindowStore({ windowMs: 1000, maxBytes: NO_BUDGET })
  store.admit("a".repeat(length), 1, 0)
  return store.bytes
}

describe("memory", () => {
  test("is released by later calls for other keys", () => {
    const store = createWindowStore({ windowMs: 100, maxBytes: NO_BUDGET })
    for (let key = 0; key < 1000; key++) store.admit(`old ${key}`, 5, 0)
    expect(store.size).toBe(1000)
    for (let call = 0; call < 500; call++) store.admit("new", 1000, 100)
    expect(store.size).toBe(1)
    expect(store.bytes).toBe(bytesOfKey("new".length))
  })

  test("of a long log is released as its requests expire, although the key stays in use", () => {
    const store = createWindowStore({ windowMs: 10_000, maxBytes: NO_BUDGET })
    for (let nowMs = 0; nowMs < 9_000; nowMs++) store.admit("a", 10_000, nowMs)
    expect(store.bytes).toBeGreaterThan(100_000)
    for (let nowMs = 10_000; nowMs < 20_000; nowMs += 1_000) store.admit("a", 10_000, nowMs)
    expect(store.bytes).toBeLessThan(1_000)
  })

  test("is accounted for exactly, however logs grow and shrink", () => {
    const random = seeded(3)
    const store = createWindowStore({ windowMs: 1000, maxBytes: 20_000 })
    let nowMs = 0
    for (let call = 0; call < 50_000; call++) {
      nowMs += Math.floor(random() * 3)
      const key = `key ${Math.floor(random() ** 3 * 40)}`
      const limit = random() < 0.1 ? 20_000 : 300
      if (random() < 0.8) store.admit(key, limit, nowMs)
      else store.peek(key, limit, nowMs)
    }
    expect(store.evicted).toBeGreaterThan(100)
    for (let call = 0; call < 40; call++) store.peek("nobody", 1, nowMs + 1000)
    expect({ size: store.size, bytes: store.bytes }).toEqual({ size: 0, bytes: 0 })
  })

  test.each([1_000, 10_000, 1_000_000, 2 ** 31])(
    "of one key stays under 200 KB, however many requests it makes (limit %i)",
    (limit) => {
      const store = createWindowStore({ windowMs: HOUR_MS, maxBytes: NO_BUDGET })
      let most = 0
      for (let nowMs = 0; nowMs < 1.5 * HOUR_MS; nowMs += 3) {
        store.admit("a", limit, nowMs)
        most = Math.max(most, store.bytes)
      }
      expect(most).toBeLessThan(200_000)
    },
  )

  test("of one key stays under 400 KB, however its limit changes", () => {
    const random = seeded(9)
    const windowMs = 50_000
    const store = createWindowStore({ windowMs, maxBytes: NO_BUDGET })
    let most = 0
    let limit = 10_000
    for (let nowMs = 0; nowMs < 10 * windowMs; nowMs++) {
      if (nowMs % 4000 === 0) limit = random() < 0.5 ? 10_000 : 1_000_000
      store.admit("a", limit, nowMs)
      most = Math.max(most, store.bytes)
    }
    expect(most).toBeGreaterThan(200_000)
    expect(most).toBeLessThan(400_000)
  })
})

describe("a budget", () => {
  test("is kept, however many keys there are", () => {
    const random = seeded(5)
    const group = () => Math.floor(random() * 0x10000).toString(16)
    const maxBytes = 2_000_000
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes })
    const calls = 300_000
    let most = 0
    let denied = 0
    for (let call = 0; call < calls; call++) {
      const address = `2001:${group()}:${group()}:${group()}::/64`
      if (!store.admit(address, 1, Math.floor(call / 1000)).admitted) denied++
      most = Math.max(most, store.bytes)
    }
    expect(denied).toBe(0)
    expect(most).toBeLessThanOrEqual(maxBytes)
    expect(most).toBeGreaterThan(0.99 * maxBytes)
    expect(store.size).toBeGreaterThan(5_000)
    expect(store.size + store.evicted).toBe(calls)
  })

  test("that is exceeded evicts the least recently used key, and no other", () => {
    const store = createWindowStore({ windowMs: 1000, maxBytes: 3 * bytesOfKey(1) })
    store.admit("a", 1, 0)
    store.admit("b", 1, 1)
    store.admit("c", 1, 2)
    store.admit("a", 1, 3) // denied, but not idle
    expect(store.evicted).toBe(0)
    store.admit("d", 1, 4)
    expect(store.evicted).toBe(1)
    const open = (key: string) => store.peek(key, 1, 5).admitted
    expect({ a: open("a"), b: open("b"), c: open("c"), d: open("d") }).toEqual({
      a: false,
      b: true,
      c: false,
      d: false,
    })
  })

  test("that is exceeded does not evict a denied caller that keeps calling", () => {
    const maxBytes = 100 * bytesOfKey("address 4999".length)
    const store = createWindowStore({ windowMs: 1_000_000, maxBytes })
    store.admit("abuser", 1, 0)
    for (let flood = 1; flood < 5000; flood++) {
      store.admit(`address ${flood}`, 1, flood)
      if (flood % 50 === 0) expect(store.admit("abuser", 1, flood).admitted).toBe(false)
    }
  })

  test("is used up by long logs as by many keys", () => {
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes: 30_000 })
    for (let key = 0; key < 50; key++) store.admit(`idle ${key}`, 1, 0)
    expect(store.size).toBe(50)
    for (let nowMs = 1; nowMs <= 1000; nowMs++) {
      expect(store.admit("busy", 1000, nowMs).admitted).toBe(true)
      expect(store.bytes).toBeLessThanOrEqual(30_000)
    }
    expect(store.admit("busy", 1000, 1001).admitted).toBe(false)
    expect(store.size + store.evicted).toBe(51)
    expect(store.evicted).toBeGreaterThan(0)
  })

  test("that is too small for a single log keeps that of the last caller", () => {
    const store = createWindowStore({ windowMs: HOUR_MS, maxBytes: 1 })
    for (let nowMs = 0; nowMs < 1000; nowMs++) store.admit("a", 1000, nowMs)
    expect(store.admit("a", 1000, 1000).admitted).toBe(false)
    expect({ size: store.size, evicted: store.evicted }).toEqual({ size: 1, evicted: 0 })
    store.admit("b", 1000, 1001)
    expect({ size: store.size, evicted: store.evicted }).toEqual({ size: 1, evicted: 1 })
  })

  test.each([
    { case: "while their logs still counted", idleMs: 999, counts: true },
    { case: "but not those whose logs had run out", idleMs: 1000, counts: false },
  ])(
    "counts the keys that were evicted with requests that counted, $case",
    ({ idleMs, counts }) => {
      /** Many keys become idle, and then the log of another grows by more than is removed. */
      function fill(maxBytes: number) {
        const store = createWindowStore({ windowMs: 1000, maxBytes })
        for (let key = 0; key < 100; key++) store.admit(`idle ${key}`, 1, 0)
        for (let run = 0; run < 257; run++) store.admit("busy", 1000, 500 + run)
        const before = { size: store.size, bytes: store.bytes }
        store.admit("busy", 1000, idleMs)
        return { before, store }
      }
      const roomy = fill(NO_BUDGET)
      expect(roomy.store.bytes).toBeGreaterThan(roomy.before.bytes + 2000)
      const { before, store } = fill(roomy.before.bytes)
      expect(store.size).toBeLessThan(before.size - 2)
      expect(store.evicted).toBe(counts ? before.size - store.size : 0)
    },
  )
})
