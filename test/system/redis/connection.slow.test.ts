/** Calls end within their limit in any state of Redis, and the connection recovers by itself. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import {
  connectRedis,
  type RedisConnection,
  redisScript,
} from "../../../src/system/redis/connection.ts"
import { type RedisServer, redisIsInstalled, redisServer } from "../../support/redis.ts"
import { until } from "../../support/until.ts"

const increment = redisScript(`return redis.call("INCRBY", KEYS[1], ARGV[1])`)

describe.skipIf(!redisIsInstalled)("A connection to Redis", () => {
  let server: RedisServer
  const open = new Set<RedisConnection>()
  beforeAll(async () => {
    server = await redisServer()
  })
  afterEach(() => {
    for (const connection of open) connection.close()
    open.clear()
  })
  afterAll(() => server.stop())

  /** A connection and its events. Only a server that hangs can exceed its default timeout. */
  async function connect({ url = server.url, timeoutMs = 1000 } = {}) {
    const events: string[] = []
    const failures: Error[] = []
    const connection = connectRedis({
      url,
      timeoutMs,
      onLost: (failure) => {
        events.push("lost")
        failures.push(failure)
      },
      onBack: () => events.push("back"),
    })
    open.add(connection)
    await connection.ready
    return { connection, events, failures }
  }

  const add = (connection: RedisConnection, key: string, by = 1) =>
    connection.run(increment, key, String(by))

  const returns = (connection: RedisConnection) => until(() => connection.isResponding, 5000)

  async function calls(command: string): Promise<number> {
    const stats = String(await server.cli("INFO", "commandstats"))
    return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)
  }

  test("A connection sends the source of a script only once", async () => {
    const { connection, events } = await connect()
    await server.cli("SCRIPT", "FLUSH")
    await server.cli("CONFIG", "RESETSTAT")
    expect(await add(connection, "once", 5)).toBe(5)
    expect(await add(connection, "once", 2)).toBe(7)
    expect(await add(connection, "once", 1)).toBe(8)
    expect({ evalsha: await calls("evalsha"), eval: await calls("eval") }).toEqual({
      evalsha: 3,
      eval: 1,
    })
    expect(events).toEqual([])
  })

  test("A connection runs each call exactly once while the server loses its scripts", async () => {
    const { connection, events } = await connect({ timeoutMs: 5000 })
    const under = Array.from({ length: 200 }, () => add(connection, "flushed"))
    await server.cli("SCRIPT", "FLUSH")
    under.push(...Array.from({ length: 200 }, () => add(connection, "flushed")))
    const replies = (await Promise.all(under)).map(Number).sort((a, b) => a - b)
    expect(replies).toEqual(Array.from({ length: 400 }, (_, index) => index + 1))
    expect(events).toEqual([])
  })

  test("A connection to a hanging server delays only concurrent calls and recovers", async () => {
    const { connection, events, failures } = await connect({ timeoutMs: 200 })
    server.freeze()
    try {
      const started = performance.now()
      const under = Array.from({ length: 20 }, () => add(connection, "frozen"))
      expect(await Promise.all(under)).toEqual(Array(20).fill(undefined))
      const tookMs = performance.now() - started
      expect(tookMs).toBeGreaterThan(190)
      expect(tookMs).toBeLessThan(2000)
      expect(connection.isResponding).toBe(false)

      const later = new Promise((resolve) => setImmediate(resolve, "later"))
      const after = add(connection, "frozen").then((reply) => ({ atOnce: reply }))
      expect(await Promise.race([after, later])).toEqual({ atOnce: undefined })
    } finally {
      server.thaw()
    }
    await returns(connection)
    expect(events).toEqual(["lost", "back"])
    expect(connection.losses).toBe(1)
    expect(failures[0]?.message).toEndWith(": No response within 200 ms")
    expect(await add(connection, "thawed")).toBe(1)
  })

  test("An idle connection detects that the server was killed, and recovers soon after its start", async () => {
    const { connection, events } = await connect()
    await server.kill()
    await until(() => events.length > 0, 5000)
    expect(events).toEqual(["lost"])
    expect(await add(connection, "killed")).toBeUndefined()
    await server.restart()
    await returns(connection)
    expect(await add(connection, "killed")).toBe(1)
    expect(events).toEqual(["lost", "back"])
  })

  test("A connection to a hanging server does not delay the start", async () => {
    server.freeze()
    try {
      const started = performance.now()
      const { connection, events } = await connect()
      expect(performance.now() - started).toBeLessThan(2500)
      expect({ isResponding: connection.isResponding, events }).toEqual({
        isResponding: false,
        events: ["lost"],
      })
    } finally {
      server.thaw()
    }
  })

  test.each(["", ":wr0ng@", "unknown:wr0ng@"])(
    "A connection with a wrong password is lost, and its error names what to check (%p)",
    async (credentials) => {
      await using guarded = await redisServer({ password: "s3cr&t" })
      const { host } = new URL(guarded.url)
      const { events, failures } = await connect({ url: `redis://${credentials}${host}` })
      expect(events).toEqual(["lost"])
      expect(failures[0]?.message).toBe(
        `Redis at ${host}: Cannot connect: check that Redis runs, and the address, the user and the password in REDIS_URL, and with rediss:// the certificate`,
      )
      expect(String(failures[0]?.stack)).not.toContain("wr0ng")
      expect((await connect({ url: guarded.url })).connection.isResponding).toBe(true)
    },
  )

  test("A closed connection ends pending calls and calls no handler", async () => {
    const { connection, events } = await connect({ timeoutMs: 60_000 })
    server.freeze()
    try {
      const under = add(connection, "closed")
      connection.close()
      expect(await under).toBeUndefined()
      expect(await add(connection, "closed")).toBeUndefined()
      expect(connection.isResponding).toBe(false)
    } finally {
      server.thaw()
    }
    expect(events).toEqual([])
  })
})
