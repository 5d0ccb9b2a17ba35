/** Slots and queues stay within their bounds, and no account delays another by more than one task. */
import { expect, test } from "bun:test"
import type { AccountId } from "../../../src/db/pool/account-id.ts"
import {
  type Claim,
  createConcurrencyLimiter,
  type LimiterOptions,
} from "../../../src/db/pool/concurrency-limiter.ts"
import { Unavailable } from "../../../src/db/pool/unavailable.ts"
import { describeError } from "../../../src/log/log.ts"
import { seeded } from "../../support/seeded.ts"

const options = { slots: 2, slotsPerAccount: 2, queueLength: 100, queueLengthPerAccount: 100 }

/** A limiter with named claims that records which have begun, in order. */
function limiterOf(differing: Partial<LimiterOptions> = {}) {
  const limiter = createConcurrencyLimiter({ ...options, ...differing })
  const begun: string[] = []
  const releases = new Map<string, () => void>()
  return {
    begun,
    load: limiter.load,
    claim: (name: string, account: AccountId, more: Partial<Claim> = {}) =>
      limiter.acquire({ account, waitMs: 60_000, ...more }).then((release) => {
        begun.push(name)
        releases.set(name, release)
      }),
    /** Ends a running task, so that the next begins. */
    end: async (name: string) => {
      const release = releases.get(name)
      if (!release) throw new Error(`${name} has not begun`)
      release()
      await settled()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("as many tasks run as there are slots, and the rest wait", async () => {
  const { claim, end, begun, load } = limiterOf()
  for (const name of ["a", "b", "c", "d"]) claim(name, 1)
  await settled()
  expect(begun).toEqual(["a", "b"])
  expect(load()).toEqual({ running: 2, waiting: 2 })
  await end("b")
  expect(begun).toEqual(["a", "b", "c"])
  for (const name of ["a", "c", "d"]) await end(name)
  expect(load()).toEqual({ running: 0, waiting: 0 })
})

test("accounts are served round-robin, however many tasks each has", async () => {
  const { claim, end, begun } = limiterOf({ slots: 1 })
  for (const name of ["a1", "a2", "a3", "a4"]) claim(name, 1)
  for (const name of ["b1", "b2"]) claim(name, 2)
  claim("c1", 3)
  await settled()
  for (const name of ["a1", "a2", "b1", "c1", "a3", "b2"]) await end(name)
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
})

test("an account never has more than its share of the slots, so that others find one free", async () => {
  const { claim, end, begun } = limiterOf({ slots: 4, slotsPerAccount: 2 })
  for (const name of ["a1", "a2", "a3"]) claim(name, 1)
  claim("b1", 2)
  await settled()
  expect(begun).toEqual(["a1", "a2", "b1"])
  await end("b1")
  expect(begun).toEqual(["a1", "a2", "b1"])
  await end("a1")
  expect(begun).toEqual(["a1", "a2", "b1", "a3"])
})

test("only an account that exceeds its bound in the queue is refused", async () => {
  const { claim, end, begun } = limiterOf({ slots: 1, queueLengthPerAccount: 2 })
  for (const name of ["a1", "a2", "a3"]) claim(name, 1)
  await expect(claim("a4", 1)).rejects.toBeInstanceOf(Unavailable)
  claim("b1", 2)
  await settled()
  for (const name of ["a1", "a2", "b1", "a3"]) await end(name)
  expect(begun).toEqual(["a1", "a2", "b1", "a3"])
})

test("where the whole queue is full, a task of the account with most tasks is displaced", async () => {
  const { claim, end, begun, load } = limiterOf({ slots: 1, queueLength: 3 })
  const ofFirst = ["a1", "a2", "a3", "a4"].map((name) => claim(name, 1))
  claim("b1", 2)
  await expect(ofFirst[3]).rejects.toBeInstanceOf(Unavailable)
  claim("c1", 3)
  await expect(ofFirst[2]).rejects.toBeInstanceOf(Unavailable)
  // Every account has one in the queue now: none is displaced for a second.
  await expect(claim("c2", 3)).rejects.toBeInstanceOf(Unavailable)
  await expect(claim("d1", 4)).rejects.toBeInstanceOf(Unavailable)
  expect(load()).toEqual({ running: 1, waiting: 3 })
  for (const name of ["a1", "a2", "b1", "c1"]) await end(name)
  expect(begun).toEqual(["a1", "a2", "b1", "c1"])
  expect(load()).toEqual({ running: 0, waiting: 0 })
})

test("without a queue, a task that finds no slot is refused at once", async () => {
  const { claim, end, begun } = limiterOf({ slots: 1, queueLength: 0 })
  await claim("a", 1)
  await expect(claim("b", 2)).rejects.toBeInstanceOf(Unavailable)
  await end("a")
  await claim("c", 2)
  expect(begun).toEqual(["a", "c"])
})

test("a task that waits too long is refused, and never begins", async () => {
  const { claim, end, begun, load } = limiterOf({ slots: 1 })
  await claim("a", 1)
  await expect(claim("b", 2, { waitMs: 1 })).rejects.toBeInstanceOf(Unavailable)
  await end("a")
  expect(begun).toEqual(["a"])
  expect(load()).toEqual({ running: 0, waiting: 0 })
})

test("a cancelled claim leaves the queue with the reason, and never begins", async () => {
  const { claim, end, begun, load } = limiterOf({ slots: 1 })
  await claim("a", 1)
  const withdrawal = new AbortController()
  const withdrawn = claim("b", 2, { signal: withdrawal.signal })
  await settled()
  withdrawal.abort(new Error("no more wanted"))
  await expect(withdrawn).rejects.toThrow("no more wanted")
  await expect(claim("c", 2, { signal: withdrawal.signal })).rejects.toThrow("no more wanted")
  await end("a")
  expect(begun).toEqual(["a"])
  expect(load()).toEqual({ running: 0, waiting: 0 })
})

test("a slot that is released twice is released once", async () => {
  const { claim, end, load } = limiterOf({ slots: 2 })
  await claim("a", 1)
  await claim("b", 1)
  await end("a")
  await end("a")
  expect(load()).toEqual({ running: 1, waiting: 0 })
})

test("under random claims, cancellations and ends, the bounds hold and every claim is settled", async () => {
  const random = seeded(20_260_301)
  const limiter = createConcurrencyLimiter({
    slots: 5,
    slotsPerAccount: 3,
    queueLength: 40,
    queueLengthPerAccount: 15,
  })
  const running = new Map<AccountId, number>()
  let ended = 0
  const tasks = Array.from({ length: 3_000 }, async (_, index) => {
    for (let turns = Math.floor(random() * 300); turns > 0; turns--) await null
    const account = Math.floor(random() * random() * 8)
    const withdrawal = new AbortController()
    if (index % 7 === 0) setImmediate(() => withdrawal.abort())
    try {
      const release = await limiter.acquire({ account, waitMs: 60_000, signal: withdrawal.signal })
      running.set(account, (running.get(account) ?? 0) + 1)
      expect(running.get(account)).toBeLessThanOrEqual(3)
      expect(limiter.load().running).toBeLessThanOrEqual(5)
      expect(limiter.load().waiting).toBeLessThanOrEqual(40)
      for (let turns = Math.floor(random() * 20); turns > 0; turns--) await null
      running.set(account, (running.get(account) ?? 0) - 1)
      release()
    } catch (error) {
      expect(error instanceof Unavailable || withdrawal.signal.aborted).toBe(true)
    }
    ended++
  })
  await Promise.all(tasks)
  expect(ended).toBe(3_000)
  expect(limiter.load()).toEqual({ running: 0, waiting: 0 })
})

/** A limiter that refuses early, with a clock, and the end of a task each 100 ms of it. */
function pacedLimiter(differing: Partial<LimiterOptions> = {}) {
  let nowMs = 0
  const limiter = limiterOf({ refusesEarly: true, nowMs: () => nowMs, ...differing })
  return {
    ...limiter,
    endAfter: async (ms: number, name: string) => {
      nowMs += ms
      await limiter.end(name)
    },
  }
}

test("what would wait too long by the pace of the account's turns is refused at once", async () => {
  const { claim, endAfter, load } = pacedLimiter({ slots: 1, slotsPerAccount: 1 })
  for (let each = 0; each < 13; each++) void claim(`a${each}`, 1, { waitMs: 10_000 })
  await settled()
  for (let each = 0; each < 5; each++) await endAfter(100, `a${each}`)
  // A turn takes 100 ms, and eight tenths of the allowed second may be expected.
  expect(load()).toEqual({ running: 1, waiting: 7 })
  const last = claim("last", 1, { waitMs: 1_000 })
  await expect(claim("late", 1, { waitMs: 1_000 })).rejects.toThrow(
    new Unavailable("No slot is expected to be free in time"),
  )
  const patient = claim("patient", 1, { waitMs: 2_000 })
  for (let each = 5; each < 13; each++) await endAfter(100, `a${each}`)
  await endAfter(100, "last")
  await Promise.all([last, patient])
})

test("what was queued before the pace was known is refused as soon as it is", async () => {
  const { claim, endAfter, load } = pacedLimiter({ slots: 1, slotsPerAccount: 1 })
  const claims = Array.from({ length: 40 }, (_, each) => claim(`a${each}`, 1, { waitMs: 1_000 }))
  const refused = Promise.allSettled(claims.slice(9))
  const other = claim("other", 2, { waitMs: 1_000 })
  await settled()
  for (const name of ["a0", "a1", "other", "a2", "a3"]) await endAfter(100, name)
  expect(load().waiting).toBe(35)
  // A turn of the account takes 125 ms, so three more have theirs in the 400 ms that are left.
  await endAfter(100, "a4")
  expect(load()).toEqual({ running: 1, waiting: 3 })
  const outcomes = await refused
  expect(outcomes.every(({ status }) => status === "rejected")).toBe(true)
  for (let each = 5; each < 9; each++) await endAfter(80, `a${each}`)
  await Promise.all([...claims.slice(0, 9), other])
})

test("a burst behind a slow first task is not refused, as its turns come fast", async () => {
  const { claim, endAfter } = pacedLimiter({ slots: 2, slotsPerAccount: 2 })
  const claims = Array.from({ length: 60 }, (_, each) => claim(`a${each}`, 1, { waitMs: 5_000 }))
  await settled()
  await endAfter(4_000, "a0")
  for (let each = 1; each < 60; each++) await endAfter(5, `a${each}`)
  await Promise.all(claims)
})

test("when turns come faster again, so are claims admitted again", async () => {
  const { claim, endAfter } = pacedLimiter({ slots: 1, slotsPerAccount: 1 })
  for (let each = 0; each < 40; each++) void claim(`a${each}`, 1, { waitMs: 100_000 })
  await settled()
  for (let each = 0; each < 6; each++) await endAfter(2_000, `a${each}`)
  await expect(claim("late", 1, { waitMs: 1_000 })).rejects.toThrow(Unavailable)
  for (let each = 6; each < 38; each++) await endAfter(1, `a${each}`)
  const admitted = claim("again", 1, { waitMs: 1_000 })
  for (let each = 38; each < 40; each++) await endAfter(1, `a${each}`)
  await admitted
})

test("what the tasks of one account take is not expected of another", async () => {
  const { claim, endAfter, begun } = pacedLimiter({ slots: 4, slotsPerAccount: 2 })
  for (let each = 0; each < 12; each++) void claim(`slow${each}`, 1, { waitMs: 1_000_000 })
  await settled()
  for (let each = 0; each < 6; each++) await endAfter(15_000, `slow${each}`)
  const others = Array.from({ length: 20 }, (_, index) =>
    claim(`other${index}`, 2 + index, { waitMs: 1_000 }),
  )
  await settled()
  for (let each = 0; each < 20; each++) await endAfter(1, `other${each}`)
  await Promise.all(others)
  expect(begun.filter((name) => name.startsWith("other"))).toHaveLength(20)
})

test("a refusal is logged without a stack, because a flood of them would fill the log", async () => {
  const { claim } = limiterOf({ slots: 1, slotsPerAccount: 1, queueLengthPerAccount: 0 })
  await claim("a", 1)
  const refusal: unknown = await claim("b", 1).catch((error: unknown) => error)
  expect(describeError(refusal)).toEqual({
    error: "Overloaded: Every slot is taken, and there is no queue",
  })
})
