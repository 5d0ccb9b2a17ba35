/** A token identifies its caller, and every change of it takes effect at once. */

import { expect, test } from "bun:test"
import { showAccount } from "../../../src/accounts/access/accounts.ts"
import { createToken } from "../../../src/accounts/access/secret.ts"
import { revokeToken } from "../../../src/accounts/access/tokens.ts"
import { maxStalenessMs, subscribeToChanges } from "../../../src/data/db/notifications.ts"
import { createPool, type Pool } from "../../../src/data/db/pool/pool.ts"
import { Unavailable } from "../../../src/data/db/pool/unavailable.ts"
import { until } from "../../support/until.ts"
import { credentialsOn, registry } from "./registry.ts"

const setup = await registry()

const now = new Date("2026-03-01T00:00:00Z")
const hourMs = 3_600_000
const later = (ms: number) => new Date(now.getTime() + ms)

/** Credentials as a process has them, whose lookups end after `hold`. */
function process({ hold = async () => {} }: { hold?: () => Promise<void> } = {}) {
  const holding: Pool = {
    ...setup.pool,
    runAlone: async (account, statement) => {
      const found = await setup.pool.runAlone(account, statement)
      await hold()
      return found
    },
  }
  return credentialsOn(holding, setup.pool)
}

/** A process that is subscribed to notifications. */
async function subscribedProcess() {
  const subscribed = process()
  let listens = false
  const { stop } = subscribeToChanges(setup.url, {
    onListening: () => {
      listens = true
      subscribed.setSubscribed(true)
    },
    onAccessChange: subscribed.invalidate,
    onRelease: () => {},
    onLost: () => subscribed.setSubscribed(false),
  })
  await until(() => listens)
  return { ...subscribed, stop }
}

test("Changes made with SQL take effect: a deleted account, an expired token, a truncated table", async () => {
  const credentials = await subscribedProcess()
  const [deleted, expiring, truncated] = [
    await setup.issue("deleted@example.com"),
    await setup.issue("expiring@example.com"),
    await setup.issue("emptied@example.com"),
  ]
  const isAccepted = async (token: string) => (await credentials.callerOf(token, now)) !== null
  for (const token of [deleted, expiring, truncated]) expect(await isAccepted(token)).toBe(true)
  await setup.sql("delete from accounts where email = 'deleted@example.com'")
  await until(async () => !(await isAccepted(deleted)))
  await setup.sql(
    `update tokens set expires_at = '2026-02-28' where prefix = '${expiring.slice(0, 12)}'`,
  )
  await until(async () => !(await isAccepted(expiring)))
  expect(await isAccepted(truncated)).toBe(true)
  await setup.sql("truncate tokens")
  await until(async () => !(await isAccepted(truncated)))
  await credentials.stop()
})

test("A lookup that began before a notification is not used after it", async () => {
  const released = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let holding = true
  const credentials = process({
    hold: async () => {
      reached.resolve()
      if (holding) await released.promise
    },
  })
  credentials.setSubscribed(true)
  const token = await setup.issue("race@example.com")
  const early = credentials.callerOf(token, now)
  await reached.promise
  await revokeToken(setup.editor, { prefix: token })
  credentials.invalidate(
    (await setup.sql("select id from accounts where email = 'race@example.com'"))[0]?.id as number,
  )
  holding = false
  // The early request began before the notification, so its response may be either.
  const afterwards = credentials.callerOf(token, now)
  released.resolve()
  await early
  expect(await afterwards).toBeNull()
  expect(await credentials.callerOf(token, now)).toBeNull()
})

test("A change takes effect within 30 seconds when its notification is lost", async () => {
  const credentials = process()
  credentials.setSubscribed(true)
  const token = await setup.issue("lost@example.com")
  expect(await credentials.callerOf(token, now)).not.toBeNull()
  await revokeToken(setup.editor, { prefix: token })
  expect(maxStalenessMs).toBe(30_000)
  expect(await credentials.callerOf(token, later(maxStalenessMs - 1))).not.toBeNull()
  expect(await credentials.callerOf(token, later(maxStalenessMs))).toBeNull()
  expect(await credentials.callerOf(token, now)).toBeNull()
})

test("A clock that is set back does not prolong the use of cached results", async () => {
  const credentials = process()
  credentials.setSubscribed(true)
  const token = await setup.issue("clock@example.com")
  await credentials.callerOf(token, now)
  await revokeToken(setup.editor, { prefix: token })
  expect(await credentials.callerOf(token, later(-hourMs))).toBeNull()
})

test("The process drops its cached results when it loses its subscription", async () => {
  const credentials = process()
  credentials.setSubscribed(true)
  const token = await setup.issue("again@example.com")
  await credentials.callerOf(token, now)
  credentials.setSubscribed(false)
  await revokeToken(setup.editor, { prefix: token })
  credentials.setSubscribed(true)
  expect(await credentials.callerOf(token, now)).toBeNull()
})

test("A flood of invented tokens from one address delays no other client, and no token that was valid before", async () => {
  const pool = createPool(setup.url, {
    name: "flooded",
    connections: 2,
    connectionsPerAccount: 1,
    statementTimeoutMs: 60_000,
  })
  const credentials = credentialsOn(pool, setup.pool)
  const token = await setup.issue("beside@example.com")
  const own = await setup.issue("behind@example.com")
  await credentials.callerOf(own, now, "203.0.113.7")
  let ended = 0
  const flood = Array.from({ length: 1_500 }, () =>
    credentials.callerOf(createToken(), now, "203.0.113.7").finally(() => ended++),
  )
  const outcomes = Promise.allSettled(flood)
  expect(await credentials.callerOf(token, now, "203.0.113.8")).not.toBeNull()
  expect(await credentials.callerOf(own, now, "203.0.113.7")).not.toBeNull()
  expect(ended).toBeLessThan(1_500)
  const refused = (await outcomes).flatMap((each) => (each.status === "rejected" ? [each] : []))
  expect(refused.length).toBe(499)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(Unavailable)
  await pool.close()
})

test("A token's last use is written at most once a minute, however many processes there are", async () => {
  const [one, other] = [process(), process()]
  const email = "used@example.com"
  const token = await setup.issue(email)
  const lastUsed = async () => (await showAccount(setup.pool, email)).tokens[0]?.lastUsedAt
  for (const [seconds, written] of [
    [0, "2026-03-01T00:00:00Z"],
    [59, "2026-03-01T00:00:00Z"],
    [61, "2026-03-01T00:01:01Z"],
  ] as const) {
    for (const { callerOf } of [one, other]) await callerOf(token, later(seconds * 1000))
    await until(async () => (await lastUsed()) === written)
  }
})

test("A clock that is set back does not keep a use from being recorded", async () => {
  const { callerOf } = process()
  const email = "used-before@example.com"
  const token = await setup.issue(email)
  const isWritten = (expected: string) =>
    until(async () => (await showAccount(setup.pool, email)).tokens[0]?.lastUsedAt === expected)
  await callerOf(token, now)
  await isWritten("2026-03-01T00:00:00Z")
  await setup.sql(`update tokens set last_used_at = null where prefix = '${token.slice(0, 12)}'`)
  await callerOf(token, later(-hourMs))
  await isWritten("2026-02-28T23:00:00Z")
})
