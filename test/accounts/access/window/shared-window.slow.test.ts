/** The log of a window in Redis admits exactly the limit, whatever the clock of Redis does. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { windowScript } from "../../../../src/accounts/access/window/shared-window.ts"
import {
  connectRedis,
  type RedisConnection,
  redisScript,
} from "../../../../src/system/redis/connection.ts"
import { type RedisServer, redisIsInstalled, redisServer } from "../../../support/redis.ts"

const hourMs = 3_600_000

describe.skipIf(!redisIsInstalled)("A window shared through Redis", () => {
  let server: RedisServer
  let redis: RedisConnection
  beforeAll(async () => {
    server = await redisServer()
    const { url } = server
    redis = connectRedis({ url, timeoutMs: 10_000, onLost: () => {}, onBack: () => {} })
    await redis.ready
  })
  afterAll(async () => {
    redis.close()
    await server.stop()
  })

  const startMs = 1_700_000_000_000
  const clock = `redis.call("TIME")`
  const timed = redisScript(
    windowScript.source.replace(clock, "{ math.floor(ARGV[4] / 1000), ARGV[4] % 1000 * 1000 }"),
  )

  function atTimes(limit: number) {
    const key = `mds:window:${crypto.randomUUID()}`
    const at = (ms: number, intent = "admit") =>
      redis.run(timed, key, String(limit), String(hourMs), intent, String(startMs + ms))
    return { at, key }
  }

  test("A window counts a million requests an hour exactly, each in ten bytes of Redis, and drops expired ones at once", async () => {
    const { at, key } = atTimes(1_000_000)
    for (let first = 0; first < 999_999; first += 9_009) {
      const times = Array.from({ length: 9_009 }, (_, index) => startMs + 3 * (first + index))
      await redis.send("RPUSH", key, ...times.map(String))
    }
    expect(await at(3_000_000)).toEqual([1, 1_000_000, 600_000])
    expect(Number(await redis.send("PTTL", key))).toBeWithin(hourMs - 60_000, hourMs + 2)
    expect(Number(await redis.send("MEMORY", "USAGE", key)) / 1_000_000).toBeLessThan(10.5)
    expect(await at(hourMs - 1)).toEqual([0, 1_000_000, 1])
    expect(await at(hourMs + 2)).toEqual([1, 1_000_000, 1])
    expect(await at(hourMs + 1_500_000, "peek")).toEqual([1, 500_000, 3])
    expect(await at(hourMs + 3_000_000, "peek")).toEqual([1, 1, 600_002])
  })

  test("A clock set back admits no more requests, and a clock set far ahead locks out nobody", async () => {
    const { at } = atTimes(2)
    await at(1_000)
    expect(await at(0)).toEqual([1, 2, hourMs + 1_000])
    expect(await at(hourMs + 999)).toEqual([0, 2, 1])
    const ahead = atTimes(1)
    await ahead.at(100 * hourMs)
    expect(await ahead.at(0)).toEqual([1, 1, hourMs])
  })
})
