/** A Redis of a test is its own, even if another test takes the port that was free. */
import { describe, expect, test } from "bun:test"
import { type RedisServer, redisIsInstalled, redisServer, sayIfLeftOut } from "./redis.ts"
import { freePort } from "./supervised.ts"

sayIfLeftOut(import.meta.path)

const portOf = ({ url }: RedisServer): number => Number(new URL(url).port)

describe.skipIf(!redisIsInstalled || process.platform !== "linux")("a port that is taken", () => {
  test.each(["", "another"])(
    "is given up for another one (its password: '%s')",
    async (password) => {
      const other = await redisServer({ password })
      const ports = [portOf(other), freePort()]
      const own = await redisServer({ choosePort: () => ports.shift() ?? freePort() })
      expect(portOf(own)).not.toBe(portOf(other))
      expect(own.pid).not.toBe(other.pid)
      expect(await own.cli("PING")).toBe("PONG")
      await own.stop()
      await other.stop()
    },
  )

  test("fails at once where it was asked for", async () => {
    const other = await redisServer()
    await expect(redisServer({ port: portOf(other) })).rejects.toThrow("No Redis of this test")
    await other.stop()
  })
})
