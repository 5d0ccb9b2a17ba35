/** A deadline does not count the time in which this process was busy. */
import { expect, test } from "bun:test"
import { settleWithin } from "../../../src/system/text/settle-within.ts"

const silent = (limitMs: number) => new Error(`No response within ${limitMs} ms`)

test("A reply that takes longer than its limit is rejected, and its outcome ignored", async () => {
  const late = Promise.withResolvers<string>()
  await expect(settleWithin(20, late.promise, silent)).rejects.toThrow("No response within 20 ms")
  late.reject(new Error("too late to matter"))
})

test("A reply or a rejection in time is passed on", async () => {
  await expect(settleWithin(10_000, Promise.resolve("reply"), silent)).resolves.toBe("reply")
  await expect(settleWithin(10_000, Promise.reject(new Error("refused")), silent)).rejects.toThrow(
    "refused",
  )
})

test("Time in which this process was busy does not count against the reply", async () => {
  const reply = Promise.withResolvers<string>()
  const response = settleWithin(200, reply.promise, silent)
  const busyUntil = performance.now() + 400
  while (performance.now() < busyUntil);
  // Runs after the timers that are due by now.
  setTimeout(() => reply.resolve("reply"), 1)
  expect(await response).toBe("reply")
})
