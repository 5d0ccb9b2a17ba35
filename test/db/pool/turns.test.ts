/** A task waits in the queue until it has its turn, its time is over, or its caller leaves. */
import { expect, test } from "bun:test"
import { createTurns } from "../../../src/db/pool/turns.ts"
import { Overloaded } from "../../../src/db/pool/unavailable.ts"

test("A timed-out or cancelled task leaves the queue", async () => {
  const { take, load } = createTurns({ places: 1, waitMs: 10 })
  await take(1)
  const caller = new AbortController()
  const cancelled = take(2, caller.signal).catch((reason: unknown) => reason)
  caller.abort("gone")
  expect(await cancelled).toBe("gone")
  await expect(take(2)).rejects.toThrow(Overloaded)
  expect(load()).toEqual({ running: 1, waiting: 0 })
})
