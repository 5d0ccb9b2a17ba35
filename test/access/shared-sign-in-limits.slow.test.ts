/** Processes that share Redis share the limits of attempts to sign in and of requests for links. */
import { expect, test } from "bun:test"
import { createSignInLimits, LimitReached } from "../../src/access/sign-in-limits.ts"
import { connectRedis } from "../../src/redis/connection.ts"
import { redisIsInstalled, redisServer, sayIfLeftOut } from "../support/redis.ts"

sayIfLeftOut(import.meta.path)

test.skipIf(!redisIsInstalled)("ten attempts reach the limit of all processes", async () => {
  const server = await redisServer()
  const redis = connectRedis({
    url: server.url,
    answerWithinMs: 5_000,
    onLost: (error) => expect(error).toBeUndefined(),
    onBack: () => {},
  })
  await redis.ready
  const now = new Date("2026-03-01T00:00:00Z")
  const processes = [1, 2].map(() =>
    createSignInLimits({ now: () => now, steadyMs: () => now.getTime(), redis }),
  )
  const caller = ["a@example.com", "192.0.2.1"] as const
  for (let count = 0; count < 10; count++) {
    await (await processes[count % 2]?.attempt(...caller))?.count()
  }
  for (const { attempt, requestLink } of processes) {
    expect(await attempt(...caller).catch((error) => error)).toBeInstanceOf(LimitReached)
    await requestLink(...caller)
  }
  expect(JSON.stringify(await server.cli("KEYS", "*"))).not.toContain("example.com")
  redis.close()
  await server.stop()
})
