/** A window shared through Redis admits exactly the limit, and each process keeps the limit when Redis fails. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import {
  createSharedWindow,
  windowScript,
} from "../../../../src/accounts/access/window/shared-window.ts"
import { createWindowStore } from "../../../../src/accounts/access/window/sliding-window.ts"
import { steadyNowMs } from "../../../../src/accounts/access/windows.ts"
import {
  connectRedis,
  type RedisConnection,
  redisScript,
} from "../../../../src/system/redis/connection.ts"
import {
  type RedisServer,
  redisIsInstalled,
  redisServer,
  sayIfLeftOut,
} from "../../../support/redis.ts"

sayIfLeftOut(import.meta.path)

const hourMs = 3_600_000
const maxBytes = 100_000_000
const redisKeyOf = (key: string) => `mds:window:${key}`

describe.skipIf(!redisIsInstalled)("A window shared through Redis", () => {
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
  async function startProcess({ windowMs = hourMs } = {}) {
    const redis = connectRedis({
      url: server.url,
      timeoutMs: 10_000,
      onLost: () => {},
      onBack: () => {},
    })
    open.add(redis)
    await redis.ready
    const local = createWindowStore(windowMs, maxBytes)
    const steadyMs = steadyNowMs
    return { redis, ...createSharedWindow({ redis, local, windowMs, redisKeyOf, steadyMs }) }
  }

  const anAccount = () => crypto.randomUUID()

  const times = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index))

  test("Redis admits at most the limit in any window to callers that obey Retry-After", async () => {
    const windowMs = 500
    const limit = 40
    const processes = [await startProcess({ windowMs }), await startProcess({ windowMs })]
    const account = anAccount()
    const admitted: { fromMs: number; toMs: number }[] = []
    const untilMs = performance.now() + 5 * windowMs
    await Promise.all(
      times(60, async (index) => {
        const { admit } = processes[index % 2] ?? (await startProcess())
        while (performance.now() < untilMs) {
          const fromMs = performance.now()
          const decision = await admit(account, limit)
          if (decision.admitted) admitted.push({ fromMs, toMs: performance.now() })
          else await Bun.sleep(decision.waitMs)
        }
      }),
    )
    // A request that began in a window and ended in it was admitted in it. Redis counts whole milliseconds.
    const inWindow = admitted.map(
      ({ fromMs }) =>
        admitted.filter((each) => each.fromMs >= fromMs && each.toMs < fromMs + windowMs - 1)
          .length,
    )
    expect(Math.max(...inWindow)).toBeLessThanOrEqual(limit)
    expect(admitted.length).toBeGreaterThanOrEqual(2 * limit)
  })

  describe("The clock of Redis", () => {
    const startMs = 1_700_000_000_000
    const clock = `redis.call("TIME")`
    const timed = redisScript(
      windowScript.source.replace(clock, "{ math.floor(ARGV[4] / 1000), ARGV[4] % 1000 * 1000 }"),
    )

    async function atTimes(limit: number) {
      const { redis } = await startProcess()
      const key = redisKeyOf(anAccount())
      const at = (ms: number, intent = "admit") =>
        redis.run(timed, key, String(limit), String(hourMs), intent, String(startMs + ms))
      return { at, key, redis }
    }

    test("A window counts a million requests an hour exactly, each in ten bytes of Redis, and drops expired ones at once", async () => {
      const { at, key, redis } = await atTimes(1_000_000)
      for (let first = 0; first < 999_999; first += 9_009) {
        await redis.send(
          "RPUSH",
          key,
          ...times(9_009, (index) => String(startMs + 3 * (first + index))),
        )
      }
      expect(await at(3_000_000)).toEqual([1, 1_000_000, 600_000])
      expect(Number(await redis.send("MEMORY", "USAGE", key)) / 1_000_000).toBeLessThan(10.5)
      expect(await at(hourMs - 1)).toEqual([0, 1_000_000, 1])
      expect(await at(hourMs + 2)).toEqual([1, 1_000_000, 1])
      expect(await at(hourMs + 1_500_000, "peek")).toEqual([1, 500_000, 3])
      expect(await at(hourMs + 3_000_000, "peek")).toEqual([1, 1, 600_002])
    })

    test("A clock set back admits no more requests, and a clock set far ahead locks out nobody", async () => {
      const { at } = await atTimes(2)
      await at(1_000)
      expect(await at(0)).toEqual([1, 2, hourMs + 1_000])
      expect(await at(hourMs + 999)).toEqual([0, 2, 1])
      const ahead = await atTimes(1)
      await ahead.at(100 * hourMs)
      expect(await ahead.at(0)).toEqual([1, 1, hourMs])
    })
  })
})
