/** With Redis, nobody can keep a chosen person or client from getting links by asking for other links. */
import { expect, test } from "bun:test"
import { mailServer } from "../../support/mail-server.ts"
import { afterFile } from "../../support/of-file.ts"
import { redisIsInstalled, redisServer, sayIfLeftOut } from "../../support/redis.ts"
import { type TestService, testService } from "../../support/service.ts"
import { visitor } from "./visitor.ts"

sayIfLeftOut(import.meta.path)

const mail = mailServer()
afterFile(mail.stop)

const settings = {
  SMTP_URL: mail.url,
  MAIL_FROM: "data@example.com",
  BASE_URL: "https://data.example.com",
  TRUSTED_PROXIES: "1",
}

/** Asks for a link as a client with an address. @returns the status */
const asker = (service: TestService) => async (email: string, from: string) =>
  (
    await visitor(service).post(
      "/account/send-link",
      { email },
      { headers: { "X-Forwarded-For": from } },
    )
  ).status

test.skipIf(!redisIsInstalled)("Links for one email address never limit another", async () => {
  await using redis = await redisServer()
  await using service = await testService({ settings: { ...settings, REDIS_URL: redis.url } })
  await service.issue("owner@example.com")
  const keys = async () => {
    const found = await redis.cli("keys", "mds:window:*")
    return Array.isArray(found) ? found.length : 0
  }
  const ask = asker(service)
  // The digests of these two are equal in the last 16 bits of their xxHash32.
  const statuses = []
  for (let count = 0; count < 6; count++) {
    statuses.push(await ask("x15018@attacker.example", "203.0.113.1"))
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  expect(await ask("owner@example.com", "192.0.2.1")).toBe(200)
  // Invented email addresses take memory of Redis only as long as the client's own window admits them.
  const before = await keys()
  for (let count = 0; count < 30; count++) await ask(`${count}@attacker.example`, "203.0.113.2")
  expect((await keys()) - before).toBe(1 + 20)
})

test.skipIf(!redisIsInstalled)(
  "Nobody can choose an address that shares a limit with another",
  async () => {
    await using redis = await redisServer()
    await using service = await testService({ settings: { ...settings, REDIS_URL: redis.url } })
    const ask = asker(service)
    const bucketOf = (address: string) => Bun.hash.xxHash32(address, 0) % 16_384
    let own = 0
    const chosen = () => `10.${own >> 16}.${(own >> 8) & 255}.${own & 255}`
    while (bucketOf(chosen()) !== bucketOf("192.0.2.1")) own++
    for (let count = 0; count < 20; count++) await ask(`${count}@example.com`, chosen())
    expect(await ask("21@example.com", chosen())).toBe(429)
    expect(await ask("owner@example.com", "192.0.2.1")).toBe(200)
  },
)
