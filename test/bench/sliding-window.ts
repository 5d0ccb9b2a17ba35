/**
 * What the sliding window costs: `bun test/bench/sliding-window.ts`.
 *
 * Each case runs in a store of its own; the clock is a counter, so only the window is measured.
 */
import { createWindowStore } from "../../src/access/sliding-window.ts"

const HOUR_MS = 3_600_000
const CALLS = 3_000_000

function report(name: string, figure: string): void {
  process.stdout.write(`${name.padEnd(64)}${figure.padStart(12)}\n`)
}

function measure(name: string, calls: number, call: (index: number) => void): void {
  for (let index = 0; index < calls / 10; index++) call(index)
  const started = performance.now()
  for (let index = calls / 10; index < calls * 1.1; index++) call(index)
  report(name, `${(((performance.now() - started) * 1e6) / calls).toFixed(0)} ns`)
}

const keys = Array.from({ length: 10_000 }, (_, index) => `account ${index}`)
const keyAt = (index: number) => keys[index % keys.length] ?? ""

{
  const store = createWindowStore({ windowMs: HOUR_MS })
  const gapMs = HOUR_MS / 1000
  measure("admit, limit 1000, one key, full window: one leaves as one comes", CALLS, (index) => {
    store.admit("account", 1000, index * gapMs)
  })
}
{
  const store = createWindowStore({ windowMs: HOUR_MS })
  measure("admit, limit 1000, one key, denied", CALLS, () => {
    store.admit("account", 1000, 0)
  })
}
{
  const store = createWindowStore({ windowMs: HOUR_MS })
  measure("admit, limit 1000, 10,000 keys in turn, about half admitted", CALLS, (index) => {
    store.admit(keyAt(index), 1000, index * 0.18)
  })
}
{
  const store = createWindowStore({ windowMs: HOUR_MS })
  measure("admit, unlimited", CALLS, (index) => {
    store.admit("account", Number.POSITIVE_INFINITY, index)
  })
}
{
  const store = createWindowStore({ windowMs: HOUR_MS, maxKeys: 100_000 })
  measure("admit, every key new, store full (100,000 keys)", CALLS / 3, (index) => {
    store.admit(`address ${index}`, 1000, index * 0.001)
  })
}

for (const perKey of [1, 3]) {
  const usedBytes = () => {
    Bun.gc(true)
    return process.memoryUsage().rss
  }
  const before = usedBytes()
  const store = createWindowStore({ windowMs: HOUR_MS, maxKeys: 1_000_000 })
  for (let round = 0; round < perKey; round++) {
    for (let key = 0; key < 1_000_000; key++) store.admit(`address ${key}`, 1000, round)
  }
  const usedMB = (usedBytes() - before) / 1e6
  report(`memory, ${store.size} keys of ${perKey}`, `${usedMB.toFixed(0)} MB`)
}
