/** Nobody can keep a chosen person or client from getting links by asking for other links. */
import { expect, test } from "bun:test"
import { mailServer } from "../../support/mail-server.ts"
import { afterFile } from "../../support/of-file.ts"
import { redisIsInstalled, redisServer } from "../../support/redis.ts"
import { type TestService, testService } from "../../support/service.ts"
import { visitor } from "./visitor.ts"

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

test("Mails that a full queue drops do not count for their account", async () => {
  using hanging = mailServer({ replace: () => "" })
  await using service = await testService({
    settings: { ...settings, SMTP_URL: hanging.url, SIGNUP: "open" },
  })
  const ask = asker(service)
  for (let count = 0; count < 205; count++) await ask(`${count}@example.com`, `10.0.0.${count}`)
  const statuses = []
  for (let count = 0; count < 6; count++) statuses.push(await ask("owner@example.com", "192.0.2.1"))
  expect(new Set(statuses)).toEqual(new Set([200]))
})
