/**
 * What the sliding window costs: `bun test/bench/sliding-window.ts`.
 *
 * Each case runs in a process of its own, so that none finds the compiler or the heap as another
 * left it. The clock is a counter, so only the window is measured.
 */
import { createWindowStore } from "../../src/access/window/sliding-window.ts"

const HOUR_MS = 3_600_000
const CALLS = 3_000_000
const NO_BUDGET = Number.POSITIVE_INFINITY

function report(name: string, ...figures: string[]): void {
  process.stdout.write(`${name.padEnd(64)}${figures.join(", ").padStart(12)}\n`)
}

function measure(name: string, calls: number, call: (index: number) => void): void {
  for (let index = 0; index < calls / 10; index++) call(index)
  const started = performance.now()
  for (let index = calls / 10; index < calls * 1.1; index++) call(index)
  report(name, `${(((performance.now() - started) * 1e6) / calls).toFixed(0)} ns`)
}

const storeOf = (maxBytes = NO_BUDGET) => createWindowStore({ windowMs: HOUR_MS, maxBytes })

const inMB = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`

/** Resident memory after collection, and after the allocators gave back what they keep for a while. */
async function settledBytes(): Promise<number> {
  for (let round = 0; round < 2; round++) {
    Bun.gc(true)
    await Bun.sleep(2500)
  }
  return process.memoryUsage.rss()
}

/** Fills `storeOf(maxBytes)` and tells its estimate beside what the process really grew by. */
async function weigh(
  name: string,
  maxBytes: number,
  calls: number,
  call: (store: ReturnType<typeof storeOf>, index: number) => void,
): Promise<void> {
  const warm = storeOf(1_000_000)
  for (let index = 0; index < 10_000; index++) call(warm, index)
  const before = await settledBytes()
  const store = storeOf(maxBytes)
  let peak = 0
  const started = performance.now()
  for (let index = 0; index < calls; index++) {
    call(store, index)
    if (index % 65_536 === 0) peak = Math.max(peak, process.memoryUsage.rss())
  }
  const perCall = ((performance.now() - started) * 1e6) / calls
  const settled = await settledBytes()
  report(name, `${perCall.toFixed(0)} ns`)
  report("  keys held, of which forgotten", `${store.size}`, `${store.evicted}`)
  report("  estimate", inMB(store.bytes))
  report("  process grew by, at most and in the end", inMB(peak - before), inMB(settled - before))
}

/** An IPv6 network, as addresses are counted by, that is as good as random. */
function addressAt(index: number): string {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0
  return `2001:${(mixed >>> 16).toString(16)}:${(mixed & 0xffff).toString(16)}:abcd::/64`
}

const keys = Array.from({ length: 10_000 }, (_, index) => `account ${index}`)
const keyAt = (index: number) => keys[index % keys.length] ?? ""

const cases: (() => void | Promise<void>)[] = [
  () => {
    const store = storeOf()
    const gapMs = HOUR_MS / 1000
    measure("admit, limit 1000, one key, full window: one leaves as one comes", CALLS, (index) => {
      store.admit("account", 1000, index * gapMs)
    })
  },
  () => {
    const store = storeOf()
    measure("admit, limit 1000, one key, denied", CALLS, () => {
      store.admit("account", 1000, 0)
    })
  },
  () => {
    const store = storeOf()
    const gapMs = HOUR_MS / 1_000_000
    measure("admit, limit 1,000,000, one key, full window", CALLS, (index) => {
      store.admit("account", 1_000_000, Math.floor(index * gapMs))
    })
  },
  () => {
    const store = storeOf()
    for (let index = 0; index < 1_000_000; index++) store.admit("account", 1_000_000, index * 3)
    measure("admit, limit 1,000,000, one key, denied", CALLS, () => {
      store.admit("account", 1_000_000, 3_000_000)
    })
  },
  () => {
    const store = storeOf()
    for (let run = 0; run < 10_000; run++) store.admit("account", 1_000_000, run * 360)
    measure("admit, limit lowered from 1,000,000 to 5000, denied", CALLS / 100, () => {
      store.admit("account", 5000, 3_599_000)
    })
  },
  () => {
    const store = storeOf()
    measure("admit, limit 1000, 10,000 keys in turn, about half admitted", CALLS, (index) => {
      store.admit(keyAt(index), 1000, index * 0.18)
    })
  },
  () => {
    const store = storeOf()
    measure("admit, unlimited", CALLS, (index) => {
      store.admit("account", Number.POSITIVE_INFINITY, index)
    })
  },
  () => {
    const store = storeOf(30_000_000)
    measure("admit, every key new, store full (30 MB)", CALLS / 3, (index) => {
      store.admit(addressAt(index), 1000, index * 0.001)
    })
  },
  () =>
    weigh("memory, 1,000,000 keys of 1", NO_BUDGET, 1_000_000, (store, index) => {
      store.admit(addressAt(index), 1000, 0)
    }),
  () =>
    weigh("memory, 1,000,000 keys of 3", NO_BUDGET, 3_000_000, (store, index) => {
      store.admit(addressAt(index % 1_000_000), 1000, Math.floor(index / 1_000_000))
    }),
  () =>
    weigh("memory, one key of 1,000,000", NO_BUDGET, 1_000_000, (store, index) => {
      store.admit("account", 1_000_000, Math.floor(index * 3.6))
    }),
  () =>
    weigh("memory, 10,000,000 addresses in 64 MB", 64_000_000, 10_000_000, (store, index) => {
      store.admit(addressAt(index), 1000, Math.floor(index / 10_000))
    }),
]

const [chosen] = process.argv.slice(2)
if (chosen !== undefined) await cases[Number(chosen)]?.()
else {
  for (const index of cases.keys()) {
    Bun.spawnSync([process.execPath, import.meta.path, String(index)], {
      stdio: ["ignore", "inherit", "inherit"],
    })
  }
}
