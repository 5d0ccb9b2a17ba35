/** Reads by key that wait for a connection share the next statement. */
import { expect, test } from "bun:test"
import { createBatchedReads, maxKeys } from "../../../src/db/pool/batched-reads.ts"
import { createConcurrencyLimiter } from "../../../src/db/pool/concurrency-limiter.ts"
import { Unavailable } from "../../../src/db/pool/unavailable.ts"

/** Reads through one slot, each statement blocked until it is released; odd keys have no row. */
function blockedReads({ waitMs = 60_000 } = {}) {
  const limiter = createConcurrencyLimiter({
    slots: 1,
    slotsPerAccount: 1,
    queueLength: 2,
    queueLengthPerAccount: 2,
  })
  const run = async <T>(statement: () => Promise<T>): Promise<T> => {
    const release = await limiter.acquire({ account: null, waitMs })
    return Promise.try(statement).finally(release)
  }
  const statements: { keys: readonly number[]; end: PromiseWithResolvers<void> }[] = []
  const read = createBatchedReads(run, async (keys: readonly number[]) => {
    const end = Promise.withResolvers<void>()
    statements.push({ keys, end })
    await end.promise
    return new Map(keys.filter((key) => key % 2 === 0).map((key) => [key, `row ${key}`]))
  })
  const begun = async (count: number) => {
    while (statements.length < count) await Bun.sleep(0)
  }
  return { read, statements, begun }
}

const upTo = (count: number) => Array.from({ length: count }, (_, key) => key)

test("keys that are requested while a statement runs are read by one more", async () => {
  const { read, statements, begun } = blockedReads()
  const first = read(0)
  await begun(1)
  const others = [1, 2, 2, 3].map(read)
  statements[0]?.end.resolve()
  expect(await first).toBe("row 0")
  await begun(2)
  statements[1]?.end.resolve()
  expect(await Promise.all(others)).toEqual([undefined, "row 2", "row 2", undefined])
  expect(statements.map(({ keys }) => keys)).toEqual([[0], [1, 2, 3]])
})

test("a key that is requested again after its statement began is read again", async () => {
  const { read, statements, begun } = blockedReads()
  const before = read(2)
  await begun(1)
  const after = read(2)
  statements[0]?.end.resolve()
  await begun(2)
  statements[1]?.end.resolve()
  expect(await Promise.all([before, after])).toEqual(["row 2", "row 2"])
  expect(statements).toHaveLength(2)
})

test("a statement has a bounded number of keys, and further keys need another", async () => {
  const { read, statements, begun } = blockedReads()
  const rows = upTo(maxKeys + 1).map(read)
  for (const turn of [0, 1]) {
    await begun(turn + 1)
    statements[turn]?.end.resolve()
  }
  expect((await Promise.all(rows)).filter((row) => row !== undefined)).toHaveLength(maxKeys / 2 + 1)
  expect(statements.map(({ keys }) => keys.length)).toEqual([maxKeys, 1])
})

test("a failed statement fails its own keys only", async () => {
  const { read, statements, begun } = blockedReads()
  const first = read(0)
  await begun(1)
  const second = read(2)
  statements[0]?.end.reject(new Unavailable("away"))
  expect(await first.catch((error: unknown) => error)).toBeInstanceOf(Unavailable)
  await begun(2)
  statements[1]?.end.resolve()
  expect(await second).toBe("row 2")
})

test("keys whose statement gets no slot in time fail, and later ones are read", async () => {
  const { read, statements, begun } = blockedReads({ waitMs: 10 })
  const first = read(0)
  await begun(1)
  const refused = await Promise.allSettled([read(2), read(4)])
  for (const { status } of refused) expect(status).toBe("rejected")
  const next = read(6)
  statements[0]?.end.resolve()
  await begun(2)
  statements[1]?.end.resolve()
  expect([await first, await next]).toEqual(["row 0", "row 6"])
  expect(statements[1]?.keys).toEqual([6])
})
