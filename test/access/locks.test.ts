/** Changes of an account do not hold up the counting of its requests, which refers to its row. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { drizzle } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { byEmail, writeDisabled } from "../../src/access/accounts.ts"
import { createPasswords } from "../../src/access/passwords.ts"
import { createSessions } from "../../src/access/sessions.ts"
import { until } from "../support/until.ts"
import { type Registry, registry } from "./registry.ts"

let at: Registry
let outside: postgres.Sql

beforeAll(async () => {
  at = await registry()
  outside = postgres(at.url, { max: 3, onnotice: () => {} })
})

afterAll(async () => {
  await outside.end()
  await at.stop()
})

async function account(email: string): Promise<number> {
  await at.issue(email)
  const [row] = await at.sql(`select id::int from accounts where email = '${email}'`)
  return row?.id as number
}

/** Counts as a process does, and fails rather than to wait for a lock. */
const count = (id: number) =>
  outside.begin(async (tx) => {
    await tx`set local lock_timeout = '1s'`
    await tx`insert into usage_hours (account_id, hour, requests) values (${id}, '2026-03-01T00:00Z', 1)`
  })

test("while an account is being disabled, its requests are counted", async () => {
  const email = "disabled@example.com"
  const id = await account(email)
  const client = postgres(at.url, { max: 1, onnotice: () => {} })
  await drizzle(client).transaction(async (tx) => {
    await writeDisabled(tx, { where: byEmail(email), name: email }, true)
    await count(id)
  })
  await client.end()
})

test("while a password is being set, requests of its account are counted", async () => {
  const id = await account("password@example.com")
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const sessions = createSessions({ pool: at.pool, onUseNotRecorded: onFailure })
  const passwords = createPasswords({ pool: at.pool, onMalformedHash: onFailure })
  const now = new Date("2026-03-01T00:00:00Z")
  const cookie = await sessions.start(id, { address: "192.0.2.1", userAgent: "" }, now)
  const session = { accountId: id, sessionId: cookie?.split(".")[0] ?? "" }
  await passwords.set(session, "correct horse battery staple", "192.0.2.1")
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = outside.begin(async (tx) => {
    await tx`select from passwords where account_id = ${id} for update`
    held.resolve()
    await released.promise
  })
  await held.promise
  const set = passwords.set(session, "another long password", "192.0.2.1")
  await until(async () => {
    const waiting = await outside`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0
  })
  const outcome = await count(id).catch((error: unknown) => error)
  released.resolve()
  await holding
  expect([outcome instanceof Error, await set, failures]).toEqual([false, true, []])
})
