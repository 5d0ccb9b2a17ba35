/** Accounts take turns, and a task waits in the queue until its turn, its timeout or its caller's end. */
import { expect, test } from "bun:test"
import { type AccountId, createTurns } from "../../../../src/data/db/pool/turns.ts"
import { Overloaded } from "../../../../src/data/db/pool/unavailable.ts"

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

test("An account waits for one task of each other account, however many those have", async () => {
  const { take } = createTurns({ places: 1 })
  const begun: AccountId[] = []
  const tasks = [1, 1, 1, 1, 2, "203.0.113.7", 2, null].map(async (account) => {
    const end = await take(account)
    begun.push(account)
    end()
  })
  await Promise.all(tasks)
  expect(begun).toEqual([1, 1, 2, "203.0.113.7", null, 1, 2, 1])
})

test("A task that gives up leaves its account's turn as it was", async () => {
  const { take } = createTurns({ places: 1 })
  const end = await take(0)
  const begun: AccountId[] = []
  const caller = new AbortController()
  const given = take(1, caller.signal).catch((reason: unknown) => reason)
  const tasks = [1, 2, 3].map(async (account) => {
    const free = await take(account)
    begun.push(account)
    free()
  })
  caller.abort("gone")
  expect(await given).toBe("gone")
  end()
  await Promise.all(tasks)
  expect(begun).toEqual([1, 2, 3])
})
