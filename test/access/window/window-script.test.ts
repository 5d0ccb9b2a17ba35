/** The window in Redis decides as the one in memory does, and writes no more than it needs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createWindowStore } from "../../../src/access/window/sliding-window.ts"
import { exactRuns, resolutionMs } from "../../../src/access/window/timestamp-resolution.ts"
import {
  type Decision,
  type Intent,
  readDecision,
  windowArguments,
  windowScript,
} from "../../../src/access/window/window-script.ts"
import { connectRedis, type RedisConnection } from "../../../src/redis/connection.ts"
import { redisScript } from "../../../src/redis/script.ts"
import {
  type RedisServer,
  redisIsInstalled,
  redisServer,
  sayIfLeftOut,
} from "../../support/redis.ts"
import { seeded } from "../../support/seeded.ts"

sayIfLeftOut(import.meta.path)

/** The script with a clock of the test: one more argument, in microseconds. */
const clock = `redis.call("TIME")`
const timedScript = redisScript(windowScript.source.replace(clock, "{ 0, ARGV[7] }"))

// So long that by the server's clock no key expires while the tests run.
const windowMs = 3_600_000

describe.skipIf(!redisIsInstalled)("the window in Redis", () => {
  let server: RedisServer
  let redis: RedisConnection
  let keys = 0
  beforeAll(async () => {
    server = await redisServer()
    redis = connectRedis({
      url: server.url,
      answerWithinMs: 20_000,
      onLost: () => {},
      onBack: () => {},
    })
    await redis.ready
    const warming = { limit: 1, windowMs, intent: "peek", maxExactRuns: exactRuns } as const
    await redis.run(timedScript, ["warm"], [...windowArguments(warming), "0"])
  })
  afterAll(() => {
    redis.close()
    return server.stop()
  })

  /** A window of a new key, which is used at given times. */
  function freshWindow(maxExactRuns = exactRuns) {
    const key = `window ${keys++}`
    const ask = async (intent: Intent, limit: number, nowMs: number) => {
      const parameters = windowArguments({ limit, windowMs, intent, maxExactRuns })
      const reply = await redis.run(timedScript, [key], [...parameters, String(nowMs * 1000)])
      return readDecision(reply)
    }
    return {
      key,
      admit: (limit: number, nowMs: number) => ask("admit", limit, nowMs),
      peek: (limit: number, nowMs: number) => ask("peek", limit, nowMs),
    }
  }

  async function info(section: string, field: RegExp): Promise<number> {
    return Number(field.exec(String(await server.cli("INFO", section)))?.[1])
  }

  test("takes the time from the server, once", () => {
    expect(windowScript.source.split(clock)).toHaveLength(2)
  })

  test.each([1, 2, 3, 4])(
    "decides on every request as the one in memory (seed %i)",
    async (seed) => {
      const random = seeded(seed)
      const below = (bound: number) => Math.floor(random() * bound)
      const limits = [0, 1, 2, 3, 7, 40, 150, 1000, 20_000]
      const store = createWindowStore({ windowMs, maxBytes: 100_000_000 })
      const windows = Array.from({ length: 3 }, () => freshWindow())
      const limitOf = windows.map(() => 100)
      let nowMs = 1_700_000_000_000
      const stepMs = 500
      let pace = 1

      for (let round = 0; round < 40; round++) {
        const expected: (Decision | undefined)[] = []
        const answers = Array.from({ length: 250 }, () => {
          // The rate changes, so that logs grow to hundreds, shrink and become empty. Steps are whole,
          // so that requests often come exactly when another expires.
          if (random() < 0.004) pace = [0, 1, 15, 180][below(4)] ?? 1
          nowMs += stepMs * below(pace + 1)
          if (random() < 0.002) nowMs += stepMs * below((3 * windowMs) / stepMs)
          const which = random() < 0.7 ? 0 : below(windows.length)
          if (random() < 0.02) limitOf[which] = limits[below(limits.length)] ?? 1
          const limit = limitOf[which] ?? 1
          const intent: Intent = random() < 0.9 ? "admit" : "peek"
          const { admitted, remaining, resetAtMs } = store[intent](String(which), limit, nowMs)
          expected.push({ admitted, remaining, waitMs: resetAtMs - nowMs })
          return windows[which]?.[intent](limit, nowMs) ?? Promise.resolve(undefined)
        })
        expect(await Promise.all(answers)).toEqual(expected)
      }
    },
  )

  test("counts a request for one window of the server's whole milliseconds", async () => {
    const { admit } = freshWindow()
    await admit(1, 1000.9)
    expect(await admit(1, 999.9 + windowMs)).toEqual({ admitted: false, remaining: 0, waitMs: 1 })
    expect(await admit(1, 1000 + windowMs)).toMatchObject({ admitted: true })
    expect(await admit(1, 1100 + windowMs)).toMatchObject({
      admitted: false,
      waitMs: windowMs - 100,
    })
  })

  test("expires nothing after the clock was set back until it has caught up", async () => {
    const { admit } = freshWindow()
    const startMs = 10 * windowMs
    await admit(2, startMs)
    await admit(2, startMs - 50_000)
    expect(await admit(2, startMs - 100_000)).toEqual({
      admitted: false,
      remaining: 0,
      waitMs: windowMs + 100_000,
    })
    expect(await admit(2, startMs + windowMs - 1)).toMatchObject({ admitted: false })
    expect(await admit(2, startMs + windowMs)).toMatchObject({ admitted: true, remaining: 1 })
  })

  test("starts anew where the clock was set back by more than a window", async () => {
    const { admit, peek } = freshWindow()
    await admit(1, 100 * windowMs)
    const corrected = { admitted: true, remaining: 1, waitMs: windowMs }
    expect(await peek(1, 5 * windowMs)).toEqual(corrected)
    expect(await admit(1, 5 * windowMs)).toEqual({ ...corrected, remaining: 0 })
    expect(await admit(1, 6 * windowMs - 1)).toMatchObject({ admitted: false, waitMs: 1 })
  })

  test("is written by admitted requests alone, and never by a peek", async () => {
    const { key, admit, peek } = freshWindow()
    for (const nowMs of [0, 10, 20]) await admit(3, windowMs + nowMs)
    const writes = () => info("persistence", /rdb_changes_since_last_save:(\d+)/)
    const before = { writes: await writes(), log: await server.cli("LRANGE", key, "0", "-1") }
    expect(await admit(3, windowMs + 30)).toMatchObject({ admitted: false })
    expect(await admit(1, windowMs + 30)).toMatchObject({ admitted: false })
    for (const atMs of [30, windowMs + 5, 2 * windowMs]) await peek(3, windowMs + atMs)
    await freshWindow().peek(3, windowMs)
    expect({
      writes: await writes(),
      log: await server.cli("LRANGE", key, "0", "-1"),
    }).toEqual(before)
  })

  test("is removed from Redis when its newest request has expired", async () => {
    const { key, admit } = freshWindow()
    await admit(5, 1_000_000)
    await admit(5, 1_000_000 + windowMs / 2)
    const leftMs = Number(await server.cli("PTTL", key))
    expect(leftMs).toBeGreaterThan(windowMs - 60_000)
    expect(leftMs).toBeLessThanOrEqual(windowMs)
  })

  test("of a million takes less than 200 kB when full, and expires as a whole at once", async () => {
    const { key, admit } = freshWindow()
    const limit = 1_000_000
    const resolution = resolutionMs(limit, windowMs)
    const startMs = Math.ceil(1_700_000_000_000 / resolution) * resolution
    const times = Array.from({ length: exactRuns }, (_, run) => startMs + run * resolution)
    for (let first = 0; first < times.length; first += 500) {
      const block = times.slice(first, first + 500)
      await Promise.all(block.flatMap((atMs) => [atMs, atMs]).map((atMs) => admit(limit, atMs)))
    }
    expect(Number(await server.cli("LLEN", key))).toBe(1 + 2 * exactRuns)
    expect(Number(await server.cli("MEMORY", "USAGE", key, "SAMPLES", "0"))).toBeLessThan(200_000)

    const newestMs = times.at(-1) ?? 0
    expect(await admit(limit, newestMs + windowMs - 1)).toMatchObject({ remaining: limit - 3 })
    expect(Number(await server.cli("LLEN", key))).toBe(1 + 2 * 2)
  })

  test("that is compacted has at most about twice its runs, and no window more than the limit", async () => {
    const maxExactRuns = 20
    const resolution = windowMs / maxExactRuns
    const limit = 60
    const { key, admit } = freshWindow(maxExactRuns)
    const random = seeded(6)
    const admitted: number[] = []
    let nowMs = 1_700_000_000_000
    for (let request = 0; request < 2_000; request++) {
      nowMs += Math.floor(random() * (request % 500 < 250 ? 20_000 : 400_000))
      const counted = admitted.filter((atMs) => atMs + windowMs > nowMs).length
      const inLonger = admitted.filter((atMs) => atMs + windowMs + resolution > nowMs).length
      const decision = await admit(limit, nowMs)
      // Never more than the limit counts, and what left the window by more than the resolution never does.
      if (counted >= limit) expect(decision?.admitted).toBe(false)
      if (inLonger < limit) expect(decision?.admitted).toBe(true)
      if (decision?.admitted) admitted.push(nowMs)
      else {
        nowMs += decision?.waitMs ?? 0
        expect(await admit(limit, nowMs)).toMatchObject({ admitted: true })
        admitted.push(nowMs)
      }
      expect(Number(await server.cli("LLEN", key))).toBeLessThanOrEqual(
        1 + 2 * (2 * maxExactRuns + 2),
      )
    }
  })

  test("that is compacted is exact until it has so many runs", async () => {
    const { admit } = freshWindow(20)
    const startMs = 1_700_000_000_001
    for (let request = 0; request < 20; request++) {
      const { waitMs } = (await admit(1000, startMs + request * 1000)) ?? {}
      expect(waitMs).toBe(windowMs - request * 1000)
    }
  })
})
