/** A window shared through Redis admits exactly the limit, and each process keeps the limit when Redis fails. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { createSharedWindow, windowScript } from "../../../src/access/window/shared-window.ts"
import { createWindowStore } from "../../../src/access/window/sliding-window.ts"
import { steadyNowMs } from "../../../src/access/windows.ts"
import { connectRedis, type RedisConnection, redisScript } from "../../../src/redis/connection.ts"
import {
  type RedisServer,
  redisIsInstalled,
  redisServer,
  sayIfLeftOut,
} from "../../support/redis.ts"

sayIfLeftOut(import.meta.path)

const hourMs = 3_600_000
const maxBytes = 100_000_000
const redisKeyOf = (key: string) => `mds:window:${key}`

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
  async function startProcess({ windowMs = hourMs } = {}) {
    const redis = connectRedis({
      url: server.url,
      answerWithinMs: 10_000,
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

  test("never admits more than the limit in any window to callers that wait as Retry-After says", async () => {
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
    // A request that began in a window and ended in it was admitted in it.
    const inWindow = admitted.map(
      ({ fromMs }) =>
        admitted.filter((each) => each.fromMs >= fromMs && each.toMs <= fromMs + windowMs).length,
    )
    expect(Math.max(...inWindow)).toBeLessThanOrEqual(limit)
    expect(admitted.length).toBeGreaterThanOrEqual(2 * limit)
  })

  test("counts in each process what the others have admitted, and nothing that was denied or peeked at", async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    const account = anAccount()
    await one.admit(account, 3)
    expect(await other.peek(account, 3)).toMatchObject({ admitted: true, used: 1 })
    expect(await other.admit(account, 3)).toMatchObject({ admitted: true, used: 2 })
    expect(await one.admit(account, 3)).toMatchObject({ admitted: true, used: 3 })
    for (let call = 0; call < 3; call++) {
      expect(await other.admit(account, 3)).toMatchObject({ admitted: false, used: 3 })
    }
    expect(await other.peek(account, 4)).toMatchObject({ admitted: true, used: 3 })
    expect(await other.admit(account, 2)).toMatchObject({ admitted: false, used: 3 })
    expect(await other.admit(account, 4)).toMatchObject({ admitted: true, used: 4 })
    const { waitMs } = await one.peek(account, 4)
    expect(waitMs).toBeGreaterThan(hourMs - 60_000)
    expect(waitMs).toBeLessThanOrEqual(hourMs)
  })

  describe("by the clock of Redis", () => {
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

    test("a request counts for exactly one window", async () => {
      const { at } = await atTimes(2)
      expect(await at(0)).toEqual([1, 1, hourMs])
      expect(await at(10)).toEqual([1, 2, hourMs - 10])
      expect(await at(hourMs - 1)).toEqual([0, 2, 1])
      expect(await at(hourMs)).toEqual([1, 2, 10])
    })

    test("a million requests an hour are counted exactly, and the old ones leave at once", async () => {
      const { at, key, redis } = await atTimes(1_000_000)
      for (let first = 0; first < 999_999; first += 9_009) {
        await redis.send(
          "RPUSH",
          key,
          ...times(9_009, (index) => String(startMs + 3 * (first + index))),
        )
      }
      expect(await at(3_000_000)).toEqual([1, 1_000_000, 600_000])
      expect(await at(hourMs - 1)).toEqual([0, 1_000_000, 1])
      expect(await at(hourMs + 2)).toEqual([1, 1_000_000, 1])
      expect(await at(hourMs + 1_500_000, "peek")).toEqual([1, 500_000, 3])
      expect(await at(hourMs + 3_000_000, "peek")).toEqual([1, 1, 600_002])
    })

    test("a clock that is set back admits no more, and one that was far ahead denies nobody for long", async () => {
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

describe("a shared window with a local one", () => {
  const windowMs = 100_000

  /** A window whose Redis answers as given. */
  function windowWith(run: () => Promise<unknown>) {
    const local = createWindowStore(windowMs, maxBytes)
    const steadyMs = () => 5_000
    return createSharedWindow({ redis: { run }, local, windowMs, redisKeyOf, steadyMs })
  }

  test("gives the later reset where the local window is full", async () => {
    const { admit } = windowWith(async () => [1, 1, 99_990])
    expect(await admit("a", 1)).toEqual({ admitted: true, used: 1, waitMs: windowMs })
  })

  test("asks for no more at once than can be admitted, and counts none that Redis denies", async () => {
    const asked: PromiseWithResolvers<unknown>[] = []
    const { admit } = windowWith(() => {
      const reply = Promise.withResolvers<unknown>()
      asked.push(reply)
      return reply.promise
    })
    const sent = [admit("a", 2), admit("a", 2)]
    expect(await admit("a", 2)).toEqual({ admitted: false, used: 2, waitMs: windowMs })
    expect(asked).toHaveLength(2)
    asked[0]?.resolve([0, 2, 300])
    asked[1]?.resolve([1, 2, 100_000])
    expect(await Promise.all(sent)).toEqual([
      { admitted: false, used: 2, waitMs: 300 },
      { admitted: true, used: 2, waitMs: windowMs },
    ])
    admit("a", 2)
    expect(asked).toHaveLength(3)
  })

  test("uses the local window where Redis gives no reply, or one of another kind", async () => {
    for (const reply of [undefined, null, "OK", [1], [1, "7", 300]]) {
      const { admit, peek } = windowWith(async () => reply)
      expect(await peek("a", 1)).toEqual({ admitted: true, used: 0, waitMs: windowMs })
      expect(await admit("a", 1)).toMatchObject({ admitted: true, used: 1 })
      expect(await admit("a", 1)).toMatchObject({ admitted: false })
    }
  })
})
