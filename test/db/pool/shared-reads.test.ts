/** Concurrent equal reads share one statement, and no account waits in the queue of another. */
import { afterAll, expect, test } from "bun:test"
import { createPool, type PoolOptions } from "../../../src/db/pool/pool.ts"
import { createSharedReads } from "../../../src/db/pool/shared-reads.ts"
import { Unavailable } from "../../../src/db/pool/unavailable.ts"

const closing: (() => Promise<void>)[] = []

afterAll(() => Promise.all(closing.map((close) => close())))

/** Shared reads on a pool whose statements the test controls; records which have begun. */
function sharedReads(options: Partial<PoolOptions> = {}) {
  const pool = createPool("postgres://nobody@127.0.0.1:1/none", {
    name: "shared reads test",
    connections: 1,
    queueLength: 100,
    statementTimeoutMs: 60_000,
    waitMs: 60_000,
    ...options,
  })
  closing.push(pool.close)
  const share = createSharedReads(pool.run)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const statement = (name: string) => () => {
    begun.push(name)
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return end.promise
  }
  return {
    begun,
    load: pool.load,
    /** Another statement of the account, which takes a connection. */
    occupy: (name: string, account: number) => pool.run(statement(name), account),
    ask: (key: string, account: number, name: string, signal?: AbortSignal) =>
      share(key, account, statement(name), signal && { signal }),
    /** Ends a running statement. */
    end: async (name: string, error?: Error) => {
      await settled()
      if (error) ends.get(name)?.reject(error)
      else ends.get(name)?.resolve(`of ${name}`)
      await settled()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test("a hundred callers of several accounts share one statement and its result", async () => {
  const { ask, end, begun, load } = sharedReads({ connections: 8 })
  const results = Array.from({ length: 100 }, (_, caller) => ask("k", caller % 10, `${caller}`))
  await settled()
  expect(begun).toEqual(["0"])
  expect(load()).toEqual({ running: 1, waiting: 0 })
  results.push(ask("k", 11, "late"))
  await end("0")
  expect(await Promise.all(results)).toEqual(Array(101).fill("of 0"))
  // A finished read is not cached.
  const again = ask("k", 1, "again")
  await end("again")
  expect(await again).toBe("of again")
})

test("different reads are not shared", async () => {
  const { ask, end, begun } = sharedReads({ connections: 2 })
  const results = [ask("k", 1, "a"), ask("l", 1, "b")]
  await settled()
  expect(begun).toEqual(["a", "b"])
  await end("a")
  await end("b")
  expect(await Promise.all(results)).toEqual(["of a", "of b"])
})

test("a caller that shares a read does not wait in the queue of the account that came first", async () => {
  const { ask, occupy, end, begun, load } = sharedReads()
  const others = ["a1", "a2", "a3"].map((name) => occupy(name, 1))
  const first = ask("k", 1, "first")
  const second = ask("k", 2, "second")
  await settled()
  expect(load()).toEqual({ running: 1, waiting: 4 })
  await end("a1")
  await end("a2")
  expect(begun).toEqual(["a1", "a2", "second"])
  // The first account has its result, and its cancelled claim affects no other.
  await end("second")
  expect(await Promise.all([first, second])).toEqual(["of second", "of second"])
  expect(load()).toEqual({ running: 1, waiting: 0 })
  await end("a3")
  await Promise.all(others)
  expect(begun).toEqual(["a1", "a2", "second", "a3"])
})

test("where an account is refused for its bound, others are not, and it may share a running read", async () => {
  const { ask, occupy, end } = sharedReads({ queueLengthPerAccount: 1 })
  const others = [occupy("a1", 1), occupy("a2", 1)]
  const refused = ask("k", 1, "refused")
  const second = ask("k", 2, "second")
  await expect(refused).rejects.toBeInstanceOf(Unavailable)
  await end("a1")
  await end("a2")
  const joined = ask("k", 1, "joined")
  await end("second")
  expect(await Promise.all([second, joined])).toEqual(["of second", "of second"])
  await Promise.all(others)
})

test("callers of one account queue once, so that they don't fill its queue", async () => {
  const { ask, occupy, end } = sharedReads({ queueLengthPerAccount: 1 })
  const other = occupy("other", 1)
  const results = Array.from({ length: 100 }, (_, caller) => ask("k", 1, `${caller}`))
  await end("other")
  await end("0")
  expect(await Promise.all(results)).toEqual(Array(100).fill("of 0"))
  await other
})

test("all callers that share a read get its failure, and the next caller tries again", async () => {
  const { ask, end } = sharedReads()
  const results = [ask("k", 1, "a"), ask("k", 2, "b")]
  const ended = Promise.allSettled(results)
  await end("a", new Error("broken"))
  expect(await ended).toMatchObject(
    Array(2).fill({ status: "rejected", reason: { message: "broken" } }),
  )
  const again = ask("k", 2, "again")
  await end("again")
  expect(await again).toBe("of again")
})

test("a queued read is dropped once none of its account's callers waits for it any more", async () => {
  const { ask, occupy, end, begun, load } = sharedReads()
  const other = occupy("other", 1)
  const [one, two] = [new AbortController(), new AbortController()]
  const asked = [ask("k", 1, "one", one.signal), ask("k", 1, "two", two.signal)]
  const ended = Promise.allSettled(asked)
  await settled()
  one.abort()
  await settled()
  expect(load()).toEqual({ running: 1, waiting: 1 })
  two.abort()
  // Whoever comes now does not share what was dropped.
  const next = ask("k", 1, "next")
  await settled()
  expect(load()).toEqual({ running: 1, waiting: 1 })
  expect(await ended).toMatchObject(
    Array(2).fill({ status: "rejected", reason: two.signal.reason }),
  )
  await end("other")
  await end("next")
  expect(await next).toBe("of next")
  expect(begun).toEqual(["other", "next"])
  await other
})

test("what one caller gives up goes on for those who still wait, and a running read for all", async () => {
  const { ask, occupy, end, begun, load } = sharedReads()
  const other = occupy("other", 1)
  const { abort, signal } = abortable()
  const patient = ask("k", 1, "patient")
  const leaving = ask("k", 1, "leaving", signal)
  const ofAnother = ask("k", 2, "of another", signal)
  const ended = Promise.allSettled([ofAnother])
  await settled()
  abort()
  await settled()
  expect(load()).toEqual({ running: 1, waiting: 1 })
  await end("other")
  const late = abortable()
  const joined = ask("k", 2, "joined", late.signal)
  late.abort()
  await end("patient")
  for (const shared of [patient, leaving, joined]) expect(await shared).toBe("of patient")
  expect(await ended).toMatchObject([{ status: "rejected" }])
  expect(begun).toEqual(["other", "patient"])
  await other
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
