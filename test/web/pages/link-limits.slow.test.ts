/** With Redis, nobody can keep a chosen person from getting links by asking for the links of others. */
import { expect, test } from "bun:test"
import { mailServer } from "../../support/mail-server.ts"
import { afterFile } from "../../support/of-file.ts"
import { redisIsInstalled, redisServer, sayIfLeftOut } from "../../support/redis.ts"
import { testService } from "../../support/service.ts"
import { visitor } from "./visitor.ts"

sayIfLeftOut(import.meta.path)

const mail = mailServer()
afterFile(mail.stop)

test.skipIf(!redisIsInstalled)("Links for one email address never limit another", async () => {
  await using redis = await redisServer()
  await using service = await testService({
    settings: {
      REDIS_URL: redis.url,
      SMTP_URL: mail.url,
      MAIL_FROM: "data@example.com",
      BASE_URL: "https://data.example.com",
      TRUSTED_PROXIES: "1",
    },
  })
  await service.issue("owner@example.com")
  const keys = async () => Number(await redis.cli("dbsize"))
  const ask = async (email: string, from: string) =>
    (
      await visitor(service).post(
        "/account/send-link",
        { email },
        { headers: { "X-Forwarded-For": from } },
      )
    ).status
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
