/** A window shared through Redis admits exactly the limit, and each process keeps the limit when Redis fails. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import {
  accountLayout,
  addressLayout,
  createSharedWindow,
} from "../../../src/access/window/shared-window.ts"
import { createWindowStore } from "../../../src/access/window/sliding-window.ts"
import { resolutionMs } from "../../../src/access/window/timestamp-resolution.ts"
import { connectRedis, type RedisConnection } from "../../../src/redis/connection.ts"
import { redisScript } from "../../../src/redis/script.ts"
import {
  type RedisServer,
  redisIsInstalled,
  redisServer,
  sayIfLeftOut,
} from "../../support/redis.ts"
import { until } from "../../support/until.ts"

sayIfLeftOut(import.meta.path)

const HOUR_MS = 3_600_000
const maxBytes = 10_000_000

describe.skipIf(!redisIsInstalled)("a window shared through Redis", () => {
  let server: RedisServer
  const open = new Set<RedisConnection>()
  beforeAll(async () => {
    server = await redisServer()
  })
  afterEach(() => {
    for (const redis of open) redis.close()
    open.clear()
  })
  afterAll(() => server.stop())

  /** A process: its connection and its local window. */
  async function startProcess({ windowMs = HOUR_MS, answerWithinMs = 5000 } = {}) {
    const redis = connectRedis({
      url: server.url,
      answerWithinMs,
      onLost: () => {},
      onBack: () => {},
    })
    open.add(redis)
    await redis.ready
    const local = createWindowStore({ windowMs, maxBytes })
    const now = () => new Date()
    return {
      redis,
      local,
      ...createSharedWindow({ redis, local, windowMs, layout: accountLayout, now }),
    }
  }

  const anAccount = () => crypto.randomUUID()

  const admittedOf = async (answers: Promise<{ admitted: boolean }>[]) =>
    (await Promise.all(answers)).filter(({ admitted }) => admitted).length

  async function evaluations(): Promise<number> {
    const stats = String(await server.cli("INFO", "commandstats"))
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
  }

  test("admits exactly the limit of 100 callers who ask two processes at once", async () => {
    const processes = [await startProcess(), await startProcess()]
    for (const limit of [1, 30, 60, 99, 100, 101]) {
      const account = anAccount()
      const callers = Array.from({ length: 50 }, () =>
        processes.map(({ admit }) => admit(account, limit)),
      )
      expect(await admittedOf(callers.flat())).toBe(Math.min(limit, 100))
      for (const { peek } of processes) {
        expect(await peek(account, limit)).toMatchObject({ remaining: Math.max(0, limit - 100) })
      }
    }
  })

  test("stays exact when the server loses its scripts", async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    const account = anAccount()
    const callers: Promise<{ admitted: boolean }>[] = []
    for (let round = 0; round < 10; round++) {
      callers.push(...Array.from({ length: 5 }, () => one.admit(account, 70)))
      callers.push(...Array.from({ length: 5 }, () => other.admit(account, 70)))
      await server.cli("SCRIPT", "FLUSH")
    }
    expect(await admittedOf(callers)).toBe(70)
  })

  test("asks Redis once for each decision", async () => {
    const { admit, peek } = await startProcess()
    const account = anAccount()
    await admit(account, 10)
    const before = await evaluations()
    for (let call = 0; call < 3; call++) await admit(account, 10)
    await peek(account, 10)
    expect((await evaluations()) - before).toBe(4)
  })

  const counter = redisScript(`return redis.call("INCRBY", KEYS[1], ARGV[1])`)

  /** A call that adds 5 to the key, and what it received. */
  function attaching(key: string) {
    const received: unknown[] = []
    const call = { script: counter, keys: [key], args: ["5"] }
    const receive = (reply: unknown) => received.push(reply)
    return { received, attach: () => ({ ...call, receive }) }
  }

  test("makes an attached call in the same round trip, and only for a request that is admitted", async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    const account = anAccount()
    const { received, attach } = attaching(account)
    await one.admit(account, 2, attach)
    const before = await evaluations()
    expect(await one.admit(account, 2, attach)).toMatchObject({ admitted: true, remaining: 0 })
    expect(await other.admit(account, 2, attach)).toMatchObject({ admitted: false })
    expect((await evaluations()) - before).toBe(2)
    expect(await one.admit(account, 2, attach)).toMatchObject({ admitted: false })
    expect((await evaluations()) - before).toBe(2)
    expect(received).toEqual([5, 10])
    expect(await server.cli("GET", account)).toBe("10")
  })

  test("gives an attached call no reply where Redis hangs and the process admits by itself", async () => {
    const { admit, redis } = await startProcess({ answerWithinMs: 300 })
    const account = anAccount()
    const { received, attach } = attaching(account)
    server.freeze()
    try {
      expect(await admit(account, 2, attach)).toMatchObject({ admitted: true })
      expect(await admit(account, 2, attach)).toMatchObject({ admitted: true })
      expect(await admit(account, 2, attach)).toMatchObject({ admitted: false })
    } finally {
      server.thaw()
    }
    expect(received).toEqual([undefined, undefined])
    await until(() => redis.answering, 5000)
  })

  test("costs Redis nothing where a process denies by itself, or where there is no limit", async () => {
    const { admit, peek } = await startProcess()
    const account = anAccount()
    expect(await admittedOf(Array.from({ length: 3 }, () => admit(account, 3)))).toBe(3)
    const before = await evaluations()
    expect(await admittedOf(Array.from({ length: 100 }, () => admit(account, 3)))).toBe(0)
    await peek(account, 3)
    expect(await admit(account, Number.POSITIVE_INFINITY)).toMatchObject({ admitted: true })
    expect(await evaluations()).toBe(before)
  })

  test("counts in each process what the others have admitted", async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    const account = anAccount()
    const startedMs = Date.now()
    await one.admit(account, 3)
    expect(await other.peek(account, 3)).toMatchObject({ admitted: true, remaining: 2 })
    expect(await other.admit(account, 3)).toMatchObject({ admitted: true, remaining: 1 })
    expect(await one.admit(account, 3)).toMatchObject({ admitted: true, remaining: 0 })
    const denied = await other.admit(account, 3)
    expect(denied).toMatchObject({ admitted: false, limit: 3, remaining: 0 })
    expect(denied.resetAtMs).toBeGreaterThanOrEqual(startedMs + HOUR_MS)
    expect(denied.resetAtMs).toBeLessThanOrEqual(Date.now() + HOUR_MS)
  })

  test("follows a limit that is raised or lowered", async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    const account = anAccount()
    for (let call = 0; call < 4; call++) await one.admit(account, 4)
    expect(await other.admit(account, 4)).toMatchObject({ admitted: false })
    expect(await other.admit(account, 6)).toMatchObject({ admitted: true, remaining: 1 })
    expect(await one.admit(account, 2)).toMatchObject({ admitted: false, remaining: 0 })
    expect(await one.peek(account, 6)).toMatchObject({ admitted: true, remaining: 1 })
  })

  test("holds the limit in any two seconds, whichever process is asked", async () => {
    const windowMs = 2000
    const limit = 20
    const processes = [await startProcess({ windowMs }), await startProcess({ windowMs })]
    const account = anAccount()
    const admissions: { sentMs: number; answeredMs: number }[] = []
    const endMs = performance.now() + 2.2 * windowMs
    const callWithoutPause = async (process: (typeof processes)[number]) => {
      while (performance.now() < endMs) {
        const sentMs = performance.now()
        const { admitted } = await process.admit(account, limit)
        if (admitted) admissions.push({ sentMs, answeredMs: performance.now() })
        // A request that is denied in memory would otherwise never yield to timers and sockets.
        else await Bun.sleep(1)
      }
    }
    const callers = [...processes, ...processes, ...processes].map(callWithoutPause)
    await Promise.all(callers)
    expect(admissions.length).toBeGreaterThanOrEqual(2 * limit)
    // The window has a resolution of a millisecond.
    const spanMs = windowMs - 1
    for (const { answeredMs } of admissions) {
      const surelyWithin = admissions.filter(
        (other) => other.sentMs > answeredMs - spanMs && other.answeredMs <= answeredMs,
      )
      expect(surelyWithin.length).toBeLessThanOrEqual(limit)
    }
  })

  test("admits a caller that waits until the reset", async () => {
    const windowMs = 100
    const { admit } = await startProcess({ windowMs })
    const account = anAccount()
    let waits = 0
    for (let call = 0; call < 60; call++) {
      const state = await admit(account, 3)
      if (state.remaining > 0) continue
      waits++
      await until(() => Date.now() >= state.resetAtMs, 5000)
      expect(await admit(account, 3)).toMatchObject({ admitted: true })
    }
    expect(waits).toBeGreaterThan(10)
  })

  test("holds the limit of each process when Redis loses all data", async () => {
    const { admit } = await startProcess()
    const account = anAccount()
    expect(await admittedOf(Array.from({ length: 4 }, () => admit(account, 5)))).toBe(4)
    await server.cli("FLUSHALL")
    expect(await admittedOf(Array.from({ length: 50 }, () => admit(account, 5)))).toBe(1)
  })

  test("holds the limit of each process while Redis hangs, and after", async () => {
    const { admit, peek, redis } = await startProcess({ answerWithinMs: 300 })
    const account = anAccount()
    expect(await admittedOf(Array.from({ length: 4 }, () => admit(account, 10)))).toBe(4)
    server.freeze()
    try {
      expect(await admittedOf(Array.from({ length: 3 }, () => admit(account, 10)))).toBe(3)
      expect(await peek(account, 10)).toMatchObject({ admitted: true, remaining: 3 })
      expect(await admittedOf(Array.from({ length: 50 }, () => admit(account, 10)))).toBe(3)
    } finally {
      server.thaw()
    }
    await until(() => redis.answering, 5000)
    expect(await admittedOf(Array.from({ length: 50 }, () => admit(account, 10)))).toBe(0)
  })
})

describe("a shared window with a local one", () => {
  const windowMs = 100_000

  /** A window whose Redis answers as given. */
  function windowWith(run: RedisConnection["run"], now = () => new Date(5000)) {
    const local = createWindowStore({ windowMs, maxBytes })
    const shared = createSharedWindow({
      redis: { run },
      local,
      windowMs,
      layout: accountLayout,
      now,
    })
    return { local, ...shared }
  }

  test("converts the reset of Redis to its own clock, from the reply on", async () => {
    const { admit, peek } = windowWith(async () => [1, 7, 300])
    const state = { admitted: true, limit: 9, remaining: 7, resetAtMs: 5300 }
    expect(await peek("a", 9)).toEqual(state)
    expect(await admit("a", 9)).toEqual(state)
  })

  test("gives the later reset where the local window is full", async () => {
    const { admit } = windowWith(async () => [1, 0, 99_990])
    expect(await admit("a", 1)).toEqual({
      admitted: true,
      limit: 1,
      remaining: 0,
      resetAtMs: 105_000,
    })
  })

  test("adds the timestamp resolution where it denies by itself, since the log in Redis may expire later", async () => {
    const { admit } = windowWith(async () => [1, 0, 100_000])
    const limit = 20_000
    for (let call = 0; call < limit; call++) await admit("a", limit)
    const resetAtMs = 105_000 + resolutionMs(limit, windowMs) - 1
    expect(await admit("a", limit)).toEqual({ admitted: false, limit, remaining: 0, resetAtMs })
  })

  test("counts nothing that Redis denies", async () => {
    const { admit, local } = windowWith(async () => [0, 0, 300])
    const denied = { admitted: false, limit: 2, remaining: 0, resetAtMs: 5300 }
    for (let call = 0; call < 5; call++) expect(await admit("a", 2)).toEqual(denied)
    expect(local.size).toBe(0)
  })

  test("reserves a slot for each pending request, and sends no more than can be admitted", async () => {
    const asked: PromiseWithResolvers<unknown>[] = []
    let nowMs = 5000
    const { admit } = windowWith(
      () => {
        const reply = Promise.withResolvers<unknown>()
        asked.push(reply)
        return reply.promise
      },
      () => new Date(nowMs),
    )
    const sent = [admit("a", 2), admit("a", 2)]
    const third = admit("a", 2)
    expect(asked).toHaveLength(2)
    nowMs = 5020
    asked[0]?.resolve([0, 0, 300])
    asked[1]?.resolve([1, 0, 100_000])
    expect((await Promise.all(sent)).map(({ admitted }) => admitted)).toEqual([false, true])
    expect(await third).toEqual({ admitted: false, limit: 2, remaining: 0, resetAtMs: 105_020 })
    admit("a", 2)
    expect(asked).toHaveLength(3)
  })

  test("uses the local window where Redis gives no answer or an invalid one", async () => {
    for (const reply of [undefined, null, "OK", [1], [1, "7", 300]]) {
      const { admit, peek } = windowWith(async () => reply)
      expect(await peek("a", 1)).toEqual({
        admitted: true,
        limit: 1,
        remaining: 1,
        resetAtMs: 105_000,
      })
      expect(await admit("a", 1)).toMatchObject({ admitted: true, remaining: 0 })
      expect(await admit("a", 1)).toMatchObject({ admitted: false })
    }
  })
})

test("addresses share 65,536 keys in Redis, and accounts share none", () => {
  expect(accountLayout.keyOf("17")).toBe("mds:window:account:17")
  expect(addressLayout.keyOf("203.0.113.7")).toBe("mds:window:address:44820")
  const keys = Array.from({ length: 20_000 }, (_, index) => addressLayout.keyOf(`10.0.0.${index}`))
  const slots = keys.map((key) => Number(key.split(":").at(-1)))
  expect(Math.max(...slots)).toBeLessThan(65_536)
  expect(new Set(slots).size).toBeGreaterThan(16_500)
})
