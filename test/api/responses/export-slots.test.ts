/** A client that reads too slowly loses its slot to an account that waits, and a caller loses it with its access. */
import { afterEach, beforeEach, expect, jest, test } from "bun:test"
import { createExportSlots, type ExportSlot } from "../../../src/api/responses/export-slots.ts"
import { until } from "../../support/until.ts"

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

const client = new AbortController().signal

/** Five slots, so one for each account, and a clock that `pass` advances with the timers. */
function fiveSlots() {
  const clock = { ms: 0 }
  const pass = (ms: number): void => {
    clock.ms += ms
    jest.advanceTimersByTime(ms)
  }
  const failures: unknown[] = []
  const slots = createExportSlots({
    slots: 5,
    stallMs: 300_000,
    steadyMs: () => clock.ms,
    onNotChecked: (error) => failures.push(error),
  })
  const open = (account: number, isCallerValid = async () => true) => {
    const slot = slots.open({ account, isCallerValid })
    slot.signal.addEventListener("abort", slot.end)
    return slot
  }
  /** An export that has its slot, and whose client may read. */
  const begun = async (account: number): Promise<ExportSlot> => {
    const slot = open(account)
    await slot.take(client)
    slot.offer(65_536)
    return slot
  }
  return { ...slots, pass, failures, open, begun }
}

const cutsOf = (exports: readonly ExportSlot[]) => exports.map(({ signal }) => signal.reason)

function endAll(exports: readonly ExportSlot[]): void {
  for (const each of exports) each.end()
}

test("While another account waits, the slowest client below 64 KB in 20 s is cut", async () => {
  const { pass, open, begun } = fiveSlots()
  const exports = await Promise.all([1, 2, 3, 4, 5].map(begun))
  // Bytes a second, and when the client stops reading.
  const clients = [
    [3_300, 60],
    [65_536, 39],
    [65_536, 30],
    [200, 60],
    [65_536, 20],
  ] as const
  for (let second = 1; second <= 60; second++) {
    pass(1_000)
    for (const [index, [bytes, stopsAt]] of clients.entries()) {
      if (second > stopsAt) continue
      exports[index]?.taken()
      exports[index]?.offer(bytes)
    }
  }
  const waiting = open(6)
  const taken = waiting.take(client)
  pass(1_000)
  await taken
  expect(cutsOf(exports)).toEqual([undefined, undefined, undefined, "stalled", undefined])
  endAll([...exports, waiting])
})

test("An account that waits gets the slot of an export that stalled as it came", async () => {
  const { pass, open, begun } = fiveSlots()
  const exports = await Promise.all([1, 2, 3, 4, 5].map(begun))
  const waiting = open(6)
  const taken = waiting.take(client)
  for (let second = 1; second <= 25; second++) pass(1_000)
  await taken
  endAll([...exports, waiting])
})

test("A client that reads 100 KB/s, and so takes 1.4 MB every 14 s, keeps its slot while others wait", async () => {
  const { pass, open, begun } = fiveSlots()
  const exports = await Promise.all([1, 2, 3, 4, 5].map(begun))
  pass(7_000)
  for (const each of exports.slice(1)) {
    each.taken()
    each.offer(1_400_000)
  }
  pass(14_000)
  const waiting = [open(6), open(7)]
  const [next, last] = waiting.map((slot) => slot.take(client))
  pass(1_000)
  await next
  expect(cutsOf(exports)).toEqual(["stalled", undefined, undefined, undefined, undefined])
  endAll(exports)
  await last
  endAll(waiting)
})

test("The time in which the service prepares a part does not count against the client", async () => {
  const { pass, begun } = fiveSlots()
  const exports = await Promise.all([1, 2, 3].map(begun))
  const [preparing] = exports
  preparing?.taken()
  pass(600_000)
  preparing?.offer(65_536)
  pass(1_000)
  expect(cutsOf(exports)).toEqual([undefined, "stalled", "stalled"])
  endAll(exports)
})

test("A check of a caller that fails is repeated", async () => {
  jest.useRealTimers()
  const { open, checkCallers, failures } = fiveSlots()
  const responses = [Promise.reject(new Error("Away")), Promise.resolve(false)]
  for (const response of responses) response.catch(() => {})
  const slot = open(1, async () => (await responses.shift()) ?? true)
  checkCallers(1)
  await until(() => slot.signal.aborted)
  expect(failures).toEqual([new Error("Away")])
})
