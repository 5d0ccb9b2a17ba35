/** A change returns when every serving process has processed it, or says how many did not confirm. */

import { expect, test } from "bun:test"
import postgres from "postgres"
import { changeAndConfirm } from "../../../src/data/db/confirmed-change.ts"
import { throughProxy } from "../../contract/interruptible-proxy.ts"
import { databaseOfFile } from "../../support/of-file.ts"
import { until } from "../../support/until.ts"
import { recordingSubscriber } from "./subscribers.ts"

const database = await databaseOfFile()
const { sql } = database

test("A change returns when all subscribers have processed it", async () => {
  const all = Array.from({ length: 5 }, () => recordingSubscriber(database.url))
  await until(() => all.every(({ events }) => events.length === 1))
  for (let change = 0; change < 8; change++) {
    const { value, unconfirmed } = await changeAndConfirm(database.url, async (client) => {
      await client`select pg_notify('mds_access', ${String(change)})`
      return change
    })
    expect([value, unconfirmed]).toEqual([change, 0])
    for (const { events } of all) expect(events.at(-1)).toBe(`changed ${change}`)
  }
  for (const { stop } of all) await stop()
})

test("An unreachable subscriber is counted, whatever its application_name", async () => {
  using proxy = await throughProxy(database.url)
  const named = new URL(proxy.url)
  named.searchParams.set("application_name", "production")
  const { events, stop } = recordingSubscriber(named.href)
  await until(() => events.length === 1)
  proxy.silence()
  expect((await changeAndConfirm(database.url, async () => "done")).unconfirmed).toBe(1)
  proxy.cut()
  await stop()
})

test("A change waits for an unconfirmed subscriber up to its limit and counts it", async () => {
  const role = `command_${crypto.randomUUID().replaceAll("-", "")}`
  await sql`create role ${sql(role)} login password 'command'`
  const url = new URL(database.url)
  url.username = role
  url.password = "command"
  const { events, stop } = recordingSubscriber(database.url)
  await until(() => events.length === 1)
  expect((await changeAndConfirm(url.href, async () => "done")).unconfirmed).toBe(0)
  const unresponsive = postgres(database.url, {
    max: 1,
    connection: { application_name: "mds notifications" },
  })
  await unresponsive`select 1`
  const startedMs = performance.now()
  expect((await changeAndConfirm(url.href, async () => "done")).unconfirmed).toBe(1)
  expect(performance.now() - startedMs).toBeGreaterThan(1_900)
  await Promise.all([unresponsive.end(), stop()])
  await sql`drop role ${sql(role)}`
})

test("A change returns its result even if confirmations cannot be requested", async () => {
  using proxy = await throughProxy(database.url)
  const changed = changeAndConfirm(proxy.url, async (client) => {
    await client`select 1`
    proxy.cut()
    return "the only copy of a token"
  })
  expect(await changed).toEqual({ value: "the only copy of a token", unconfirmed: undefined })
})

test("A failed change rejects with the database's error, and leaves no connection", async () => {
  const failing = changeAndConfirm(database.url, async (client) => client`select 1/0`)
  const error = await failing.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(postgres.PostgresError)
  await until(async () => {
    const [connections] =
      await sql`select count(*)::int from pg_stat_activity where datname = current_database()`
    return connections?.count === 1 // the test's own
  })
})
