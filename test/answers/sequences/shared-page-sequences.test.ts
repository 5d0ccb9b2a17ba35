/**
 * Processes that share a Redis share page sequences, and without it each one continues with those
 * that it has read.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sequenceIdleMs } from "../../../src/answers/sequences/page-sequence.ts"
import { createPageSequences } from "../../../src/answers/sequences/page-sequences.ts"
import {
  applyLogged,
  createSharedPageSequences,
} from "../../../src/answers/sequences/shared-page-sequences.ts"
import { connectRedis, type RedisConnection } from "../../../src/redis/connection.ts"
import {
  type RedisServer,
  redisIsInstalled,
  redisServer,
  sayIfLeftOut,
} from "../../support/redis.ts"
import { redisRelay } from "../../support/relay.ts"
import { until } from "../../support/until.ts"

sayIfLeftOut(import.meta.path)

const release = (id: number) => ({ id, publishedAt: id * 1000 })

describe.skipIf(!redisIsInstalled)("sequences that two processes share", () => {
  let server: RedisServer
  let connections: RedisConnection[]
  let queries = 0

  beforeAll(async () => {
    server = await redisServer()
    connections = [connect(), connect()]
    await Promise.all(connections.map(({ ready }) => ready))
  })

  afterAll(async () => {
    for (const connection of connections) connection.close()
    await server.stop()
  })

  // That a busy machine answers late must not look like a loss.
  const connect = (answerWithinMs = 5_000, url = server.url) =>
    connectRedis({
      url,
      answerWithinMs,
      onLost: () => {},
      onBack: () => {},
    })

  const logOf = (query: number) => `mds:sequence-log:1 query ${query}`

  /** What two processes know of one new query. */
  function pair(of = connections) {
    const query = { accountId: 1, key: `query ${++queries}` }
    return of.map((connection) => {
      const sequences = createPageSequences(createSharedPageSequences(connection), 1_000_000)
      return {
        begin: (client: string, of: number, nowMs = 0) =>
          sequences.begin(query, { client, release: release(of) }, nowMs),
        next: async (client: string, page: number, nowMs = 0) =>
          (await sequences.next(query, client, page, nowMs))?.id,
        oldestPinned: (nowMs = 0) => sequences.oldestPinned(nowMs),
      }
    }) as [Process, Process]
  }

  interface Process {
    begin(client: string, of: number, nowMs?: number): Promise<void>
    next(client: string, page: number, nowMs?: number): Promise<number | undefined>
    oldestPinned(nowMs?: number): number | undefined
  }

  test("a page is of the release of its page 1, whichever process read that", async () => {
    const [one, two] = pair()
    await one.begin("a", 1)
    expect([await two.next("a", 2), await one.next("a", 3), await two.next("a", 4)]).toEqual([
      1, 1, 1,
    ])
  })

  test("sequences at once are told apart across processes as within one", async () => {
    const [one, two] = pair()
    await one.begin("a", 1)
    await two.next("a", 2)
    await two.begin("a", 2)
    expect(await one.next("a", 3)).toBe(1)
    expect(await one.next("a", 2)).toBe(2)
    expect(await two.next("a", 4)).toBe(1)
  })

  test("pages read in parallel through both are all of the sequence's release", async () => {
    const [one, two] = pair()
    await one.begin("a", 7)
    const pages = Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? one : two).next("a", index + 2),
    )
    expect(await Promise.all(pages)).toEqual(Array(40).fill(7))
  })

  test("each page costs one round trip, though the processes take turns", async () => {
    const relay = await redisRelay(server)
    const relayed = [connect(5_000, relay.url), connect(5_000, relay.url)]
    await Promise.all(relayed.map(({ ready }) => ready))
    const [one, two] = pair(relayed)
    await one.begin("a", 1) // The script is sent once.
    const before = relay.roundTrips
    await two.begin("b", 2, 1)
    for (let page = 2; page < 40; page++) {
      const [first, second] = page % 2 ? [one, two] : [two, one]
      expect(await first.next("a", page, page)).toBe(1)
      expect(await second.next("b", page, page)).toBe(2)
    }
    expect(relay.roundTrips - before).toBe(1 + 2 * 38)
    for (const connection of relayed) connection.close()
    relay.stop()
  })

  test("a log that has grown long is compacted, and nothing in it is lost", async () => {
    const [one, two] = pair()
    await one.begin("a", 1)
    await two.begin("b", 2, 1)
    for (let page = 2; page < 400; page++) {
      const [first, second] = page % 3 ? [one, two] : [two, one]
      expect(await first.next("a", page, page)).toBe(1)
      expect(await second.next("b", page, page)).toBe(2)
      expect(Number(await server.cli("LLEN", logOf(queries)))).toBeLessThan(110)
    }
  })

  test("a page of a query that nobody has begun leaves nothing in Redis", async () => {
    const [one] = pair()
    expect(await one.next("a", 2)).toBeUndefined()
    expect(await server.cli("EXISTS", logOf(queries))).toBe(0)
  })

  test("both hold the release that is being read, for as long as it may be read on", async () => {
    const [one, two] = pair()
    await one.begin("a", 5)
    expect([one.oldestPinned(), two.oldestPinned()]).toEqual([5, undefined])
    await two.next("a", 2, sequenceIdleMs)
    expect(two.oldestPinned(sequenceIdleMs)).toBe(5)
    expect(two.oldestPinned(2 * sequenceIdleMs + 1)).toBeUndefined()
    expect(await one.next("a", 3, 2 * sequenceIdleMs + 1)).toBeUndefined()
  })

  test("what Redis has forgotten is known to it again from the process that read the sequence", async () => {
    const [one, two] = pair()
    await one.begin("a", 3)
    await server.cli("FLUSHALL")
    expect(await two.next("a", 2)).toBeUndefined()
    expect(await one.next("a", 2)).toBe(3)
    expect(await two.next("a", 3)).toBe(3)
  })

  test("a sequence begun while Redis did not answer goes before what Redis still knows", async () => {
    const hasty = connect(100)
    await hasty.ready
    const [one] = pair([hasty])
    await one.begin("a", 1)
    await until(async () => {
      await one.next("a", 2)
      const log = await server.cli("LRANGE", logOf(queries), "0", "-1")
      return `${log}`.includes('"id":1')
    })
    server.freeze()
    await until(async () => {
      await one.next("a", 2)
      return !hasty.answering
    })
    await one.begin("a", 2, 1)
    server.thaw()
    await until(() => hasty.answering)
    expect([await one.next("a", 2, 2), await one.next("a", 3, 3)]).toEqual([2, 2])
    hasty.close()
  })

  test("without Redis each process knows the sequences that it has read", async () => {
    const [one, two] = pair()
    await one.begin("a", 4)
    expect(await two.next("a", 2)).toBe(4)
    await server.kill()
    await until(async () => {
      await Promise.all([one.next("x", 2), two.next("x", 2)])
      return connections.every(({ answering }) => !answering)
    })
    expect([await one.next("a", 3), await two.next("a", 3)]).toEqual([4, 4])
    await server.restart()
    await until(() => connections.every(({ answering }) => answering))
    expect(await two.next("a", 4)).toBe(4)
  })
})

test("a process applies no change of the log twice, however many of its calls are under way", () => {
  const read = JSON.stringify({ kind: "read", client: "a", page: 3, ms: 2 })
  const sequences = [{ release: release(1), client: "a", startedMs: 0, expectedPage: 3, readMs: 1 }]
  const reply = { id: "log", start: 2, changes: ["applied before, so not even read", read] }
  const known = { sequences, position: { id: "log", length: 3 } }
  const from = { sequences: [], position: { id: "log", length: 2 } }
  expect(applyLogged(reply, [from, known])).toMatchObject({
    sequences: [{ expectedPage: 4, readMs: 2 }],
    position: { id: "log", length: 5 },
  })
  expect(() => applyLogged(reply, [from])).toThrow("JSON")
})
