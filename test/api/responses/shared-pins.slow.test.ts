/** All pages of a sequence are of one release, whichever process serves them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createPins, pinSeconds } from "../../../src/api/responses/pins.ts"
import { connectRedis, type RedisConnection } from "../../../src/system/redis/connection.ts"
import { type RedisServer, redisIsInstalled, redisServer } from "../../support/redis.ts"
import { until } from "../../support/until.ts"

const release = (id: number) => ({ id, publishedAt: id * 1000, identity: `identity ${id}` })
const maxBytes = 1_000_000

describe.skipIf(!redisIsInstalled)("Two processes with Redis", () => {
  let server: RedisServer
  let connections: RedisConnection[]
  beforeAll(async () => {
    server = await redisServer()
    connections = [1, 2].map(() =>
      connectRedis({
        url: server.url,
        timeoutMs: 5_000,
        onLost: () => {},
        onBack: () => {},
      }),
    )
    await Promise.all(connections.map(({ ready }) => ready))
  })
  afterAll(async () => {
    for (const each of connections) each.close()
    await server.stop()
  })

  const processes = () => {
    const [one, other] = connections.map((redis) =>
      createPins({ redis, maxBytes, steadyMs: () => performance.now() }),
    )
    if (!one || !other) throw new Error("There are two connections")
    return [one, other] as const
  }
  const sequence = () => crypto.randomUUID()

  test("Processes agree on the first of two later pages that set the pin", async () => {
    const [one, other] = processes()
    const a = sequence()
    await one.pin(a, release(1), "if absent")
    await one.pinned(a)
    await other.pin(a, release(2), "if absent")
    expect(await other.pinned(a)).toEqual(release(1))
    expect(await one.pinned(a)).toEqual(release(1))
  })

  test("Processes keep a pin for 15 minutes after the last page, in 300 bytes of Redis", async () => {
    const [one, other] = processes()
    const a = sequence()
    await one.pin(a, release(1), "replace")
    await one.pinned(a)
    await server.cli("EXPIRE", `mds:pin:${a}`, "10")
    await other.pinned(a)
    expect(Number(await server.cli("TTL", `mds:pin:${a}`))).toBeGreaterThan(pinSeconds - 60)
    expect(Number(await server.cli("MEMORY", "USAGE", `mds:pin:${a}`))).toBeLessThan(300)
  })

  test("Processes use their own pins while Redis is lost, and share them again afterwards", async () => {
    const [one, other] = processes()
    const [a, b] = [sequence(), sequence()]
    await one.pin(a, release(1), "replace")
    expect(await other.pinned(a)).toEqual(release(1))
    await server.kill()
    await until(() => connections.every(({ isResponding }) => !isResponding))
    await one.pin(b, release(2), "replace")
    expect([await one.pinned(a), await other.pinned(a)]).toEqual([release(1), release(1)])
    expect([await one.pinned(b), await other.pinned(b)]).toEqual([release(2), undefined])
    await server.restart()
    await until(() => connections.every(({ isResponding }) => isResponding))
    expect([await one.pinned(b), await other.pinned(b)]).toEqual([release(2), release(2)])
  })
})
