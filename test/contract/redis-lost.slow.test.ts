/**
 * While Redis is lost each service keeps the limit with its own windows, and all share windows again
 * once it is back.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type RedisServer, redisIsInstalled, redisServer, sayIfLeftOut } from "../support/redis.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"

sayIfLeftOut(import.meta.path)

const limit = 60
const spentBefore = 10
/** How long Redis may be back before it is used again. */
const backWithinMs = 5_000

describe.skipIf(!redisIsInstalled)("two services whose Redis is lost", () => {
  let service: TestService
  let redis: RedisServer
  let services: [TestService, TestService]

  beforeAll(async () => {
    service = await testService()
    redis = await redisServer({ password: "hunter2" })
    services = [await start(), await start()]
  })

  afterAll(async () => {
    for (const each of services) await each.stop()
    await redis.stop()
    await service.stop()
  })

  const start = () =>
    testService({
      beside: service,
      settings: { REDIS_URL: redis.url },
      // A busy machine must not lose it more often than the tests mean to.
      redisAnswerWithinMs: 2_000,
    })

  const enterpriseToken = () => service.issueWithLimit(limit)

  async function ask(of: TestService, times: number, token: string) {
    const answers = Array.from({ length: times }, () => of.get("/companies/XXX", { token }))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 404 && status !== 429)).toEqual([])
    return statuses.filter((status) => status === 404).length
  }

  const condition = async ({ url }: TestService) =>
    ((await (await fetch(`${url}/readyz`)).json()) as { redis: string }).redis

  const metric = async ({ url }: TestService) =>
    /^mds_redis_answering (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]

  const events = (of: TestService) =>
    of.logLines
      .map((line): { event: string; level: string } => JSON.parse(line))
      .filter(({ event }) => event.startsWith("Redis"))

  async function isShared(withinMs?: number): Promise<void> {
    for (const each of services) {
      await until(async () => (await condition(each)) === "answering", withinMs)
    }
  }

  let mendReplaced = async (): Promise<void> => {}
  async function replaceByAnother(): Promise<void> {
    await redis.kill()
    const port = Number(new URL(redis.url).port)
    const other = await redisServer({ password: "changed", port })
    mendReplaced = async () => {
      await other.stop()
      await redis.restart()
    }
  }

  const faults: [kind: string, lose: () => Promise<void>, mend: () => Promise<void>][] = [
    ["frozen", async () => redis.freeze(), async () => redis.thaw()],
    ["killed", () => redis.kill(), () => redis.restart()],
    [
      "full",
      async () => void (await redis.cli("CONFIG", "SET", "maxmemory", "1")),
      async () => void (await redis.cli("CONFIG", "SET", "maxmemory", "0")),
    ],
    [
      "a read-only replica",
      async () => void (await redis.cli("REPLICAOF", "127.0.0.1", "1")),
      async () => void (await redis.cli("REPLICAOF", "NO", "ONE")),
    ],
    ["one with another password", replaceByAnother, () => mendReplaced()],
  ]

  test.each(faults)(
    "while it is %s each goes on by its own window, and both share again when it is back",
    async (_, lose, mend) => {
      const [one, two] = services
      const token = await enterpriseToken()
      await isShared()
      expect(await ask(one, spentBefore, token)).toBe(spentBefore)
      const told = events(one).length
      const levels = () =>
        events(one)
          .slice(told)
          .map(({ level }) => level)
      await lose()
      const admitted = await Promise.all([ask(one, 100, token), ask(two, 100, token)])
      // Never without a limit, and each remembers what it admitted itself before.
      expect(admitted).toEqual([limit - spentBefore, limit])

      for (const each of services) {
        await until(async () => (await condition(each)) === "lost")
        expect(await metric(each)).toBe("0")
      }
      // A line of the log comes a little later than what it tells of.
      await until(() => levels().length >= 1)
      expect(levels()).toEqual(["warn"])

      await mend()
      await isShared(backWithinMs)
      for (const each of services) expect(await metric(each)).toBe("1")
      await until(() => levels().length >= 2)
      expect(levels()).toEqual(["warn", "info"])
      // Neither has forgotten: whatever Redis knows, a process admits no more than the limit.
      expect(await Promise.all([ask(one, 5, token), ask(two, 5, token)])).toEqual([0, 0])

      const another = await enterpriseToken()
      const both = await Promise.all([ask(one, 50, another), ask(two, 50, another)])
      expect(both[0] + both[1]).toBe(limit)
    },
  )

  test("when it is flushed each remembers what it admitted itself, and they share what follows", async () => {
    const [one, two] = services
    const token = await enterpriseToken()
    await isShared()
    expect(await ask(one, spentBefore, token)).toBe(spentBefore)
    await redis.cli("FLUSHALL")
    const admitted = await Promise.all([ask(one, 100, token), ask(two, 100, token)])
    expect(admitted[0] + admitted[1]).toBeLessThanOrEqual(limit)
    expect(admitted[0]).toBeLessThanOrEqual(limit - spentBefore)
    expect(await Promise.all([ask(one, 5, token), ask(two, 5, token)])).toEqual([0, 0])
  })

  test("a service that starts without it goes on, says so, and shares once it is there", async () => {
    await redis.kill()
    const late = await start()
    expect(await condition(late)).toBe("lost")
    expect(await ask(late, 100, await enterpriseToken())).toBe(limit)
    await redis.restart()
    await until(async () => (await condition(late)) === "answering", backWithinMs)
    await late.stop()
  })

  test("the password stands in no line of the log, and in no metric", async () => {
    for (const each of services) {
      expect(events(each).length).toBeGreaterThan(1)
      expect(JSON.stringify(each.logLines)).not.toContain("hunter2")
      expect(await (await fetch(`${each.url}/metrics`)).text()).not.toContain("hunter2")
    }
  })
})
