/**
 * With a database role that may only read, the service responds to every request and logs once what it
 * cannot record.
 */

import { expect, test } from "bun:test"
import { afterFile, databaseOfFile } from "../support/of-file.ts"
import { emptyDatabase } from "../support/postgres.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { linkSecret, visitor } from "../web/pages/visitor.ts"

const role = `reader_${crypto.randomUUID().replaceAll("-", "")}`

const { sql } = await databaseOfFile(emptyDatabase())
await sql`create role ${sql(role)} login password 'reader' in role pg_read_all_data`
afterFile(() => sql`drop role ${sql(role)}`)
const service = await serviceOfFile({
  reach: (databaseUrl) => {
    const url = new URL(databaseUrl)
    url.username = role
    url.password = "reader"
    return url.href
  },
})

const warnings = () =>
  service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level !== "info")

test("A read-only database serves lists, records, exports, usage and health, with one line in the log", async () => {
  const tokens = Object.values(service.tokens)
  for (let round = 0; round < 2; round++) {
    for (const token of tokens) {
      for (const path of ["/companies", "/companies/BIG", "/reports?format=csv&all=true"]) {
        expect([path, (await service.get(path, { token })).status]).toEqual([path, 200])
      }
      expect((await service.get("/usage", { token })).status).toBe(200)
    }
    // A token's last use is written at most once a minute.
    service.clock.advance(61_000)
  }
  const ready = await fetch(`${service.url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { status: "ready", release: 1, redis: "unused", notifications: "listening" },
  ])
  await until(() => warnings().length > 0)
  expect(warnings()).toEqual([
    {
      time: expect.any(String),
      level: "warn",
      event:
        "the database lets this process only read: the use of accounts and tokens is not recorded",
      error: expect.stringContaining("permission denied for table"),
      code: "42501",
    },
  ])
})

test("The pages to sign in and to change an account say that the database is read-only", async () => {
  const person = visitor(service)
  const link = await linkSecret(service, "standard@example.com")
  expect((await person.get(`/account/link?link=${link}`)).status).toBe(200)
  const response = await person.post("/account/link", { link })
  expect([response.status, await response.text()]).toEqual([
    503,
    expect.stringContaining("<h1>Read-only here</h1>"),
  ])
  // A session from elsewhere is as good as ever.
  await using elsewhere = await testService({ beside: service, now: service.clock.now })
  const signedIn = visitor(elsewhere)
  expect((await signedIn.post("/account/link", { link })).status).toBe(303)
  person.jar.cookie = signedIn.jar.cookie
  service.clock.advance(61_000)
  expect((await person.get("/account/sessions")).status).toBe(200)
})
