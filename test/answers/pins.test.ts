/** All pages of a sequence are of one release, until 15 minutes after the last of them, in all processes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createPins, pinSeconds } from "../../src/answers/pins.ts"
import { connectRedis, type RedisConnection } from "../../src/redis/connection.ts"
import { type RedisServer, redisIsInstalled, redisServer, sayIfLeftOut } from "../support/redis.ts"
import { until } from "../support/until.ts"

sayIfLeftOut(import.meta.path)

const release = (id: number) => ({ id, publishedAt: id * 1000, identity: `identity ${id}` })
const maxBytes = 1_000_000
const idleMs = pinSeconds * 1000

/** Pins of one process alone, whose time the test sets. */
function alone() {
  const clock = { ms: 1 }
  const { pin, pinned } = createPins({ redis: null, maxBytes, steadyMs: () => clock.ms })
  return { pin, clock, pinnedId: async (sequence: string) => (await pinned(sequence))?.id }
}

test("a pin is that of the last page 1 of its sequence, and of no other", async () => {
  const { pin, pinnedId } = alone()
  await pin("a", release(1), "replace")
  expect([await pinnedId("a"), await pinnedId("b")]).toEqual([1, undefined])
  await pin("a", release(2), "replace")
  expect(await pinnedId("a")).toBe(2)
})

test("a later page sets a pin only where there is still none", async () => {
  const { pin, pinnedId } = alone()
  await pin("a", release(1), "if absent")
  await pin("a", release(2), "if absent")
  expect(await pinnedId("a")).toBe(1)
})

test("a pin ends 15 minutes after the last page was read, and not before", async () => {
  const { pin, pinnedId, clock } = alone()
  await pin("a", release(1), "replace")
  for (let page = 2; page < 10; page++) {
    clock.ms += idleMs
    expect(await pinnedId("a")).toBe(1)
  }
  clock.ms += idleMs + 1
  expect(await pinnedId("a")).toBeUndefined()
})

test("beyond the memory for pins, those that were read least recently are dropped", async () => {
  const { pin, pinnedId } = alone()
  await pin("read", release(1), "replace")
  for (let query = 0; query < 10_000; query++) {
    await pin(`${query}`, release(2), "replace")
    if (query % 100 === 0) expect(await pinnedId("read")).toBe(1)
  }
  expect([await pinnedId("0"), await pinnedId("9999")]).toEqual([undefined, 2])
})

describe.skipIf(!redisIsInstalled)("two processes with Redis", () => {
  let server: RedisServer
  let connections: RedisConnection[]
  beforeAll(async () => {
    server = await redisServer()
    connections = [1, 2].map(() =>
      connectRedis({
        url: server.url,
        answerWithinMs: 5_000,
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

  test("share pins, with their identity", async () => {
    const [one, other] = processes()
    const a = sequence()
    await one.pin(a, release(1), "replace")
    expect(await other.pinned(a)).toEqual(release(1))
    await other.pin(a, release(2), "replace")
    await one.pin(a, release(3), "if absent")
    expect(await one.pinned(a)).toEqual(release(2))
    expect(await other.pinned(a)).toEqual(release(2))
  })

  test("agree on the first of two later pages that set the pin", async () => {
    const [one, other] = processes()
    const a = sequence()
    await one.pin(a, release(1), "if absent")
    await one.pinned(a)
    await other.pin(a, release(2), "if absent")
    expect(await other.pinned(a)).toEqual(release(1))
    expect(await one.pinned(a)).toEqual(release(1))
  })

  test("read in one what the other has pinned, 2,000 times", async () => {
    const [one, other] = processes()
    const a = sequence()
    for (let id = 1; id <= 2_000; id++) {
      await one.pin(a, release(id), "replace")
      expect((await other.pinned(a))?.id).toBe(id)
    }
  })

  test("keep a pin for 15 minutes after the last page", async () => {
    const [one, other] = processes()
    const a = sequence()
    await one.pin(a, release(1), "replace")
    await one.pinned(a)
    await server.cli("EXPIRE", `mds:pin:${a}`, "10")
    await other.pinned(a)
    expect(Number(await server.cli("TTL", `mds:pin:${a}`))).toBeGreaterThan(pinSeconds - 60)
  })

  test("go on by their own pins while Redis is lost, and share them again afterwards", async () => {
    const [one, other] = processes()
    const [a, b] = [sequence(), sequence()]
    await one.pin(a, release(1), "replace")
    expect(await other.pinned(a)).toEqual(release(1))
    await server.kill()
    await until(() => connections.every(({ answering }) => !answering))
    await one.pin(b, release(2), "replace")
    expect([await one.pinned(a), await other.pinned(a)]).toEqual([release(1), release(1)])
    expect([await one.pinned(b), await other.pinned(b)]).toEqual([release(2), undefined])
    await server.restart()
    await until(() => connections.every(({ answering }) => answering))
    expect([await one.pinned(b), await other.pinned(b)]).toEqual([release(2), release(2)])
  })
})

test("a page 1 that is answered while an earlier page asks Redis is not undone by it", async () => {
  const asked = Promise.withResolvers<unknown>()
  let answering = true
  const send = async (command: string) => {
    if (!answering) return undefined
    return command === "GETEX" ? asked.promise : "OK"
  }
  const { pin, pinned } = createPins({ redis: { send }, maxBytes, steadyMs: () => 1 })
  const earlier = pinned("a")
  pin("a", release(2), "replace")
  asked.resolve(JSON.stringify(release(1)))
  expect(await earlier).toEqual(release(1))
  answering = false
  expect(await pinned("a")).toEqual(release(2))
})
