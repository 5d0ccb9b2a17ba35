/** Subscribers receive every notification in order, and learn when they may miss some. */

import { expect, test } from "bun:test"
import { throughProxy } from "../../contract/interruptible-proxy.ts"
import { databaseOfFile } from "../../support/of-file.ts"
import { until } from "../../support/until.ts"
import { recordingSubscriber } from "./subscribers.ts"

const database = await databaseOfFile()
const { sql } = database

const notify = (payload: string) => sql`select pg_notify('mds_access', ${payload})`

const sessions = () => sql<{ pid: number }[]>`
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'mds notifications'`

test("Changes of accounts and releases are notified in order", async () => {
  const { events, stop } = recordingSubscriber(database.url)
  await until(() => events.length === 1)
  await notify("1")
  await sql`insert into releases values (1, '2026-01-01', 'test', '{}')`
  await notify("")
  await sql`update releases set source = 'other'`
  await sql`delete from releases`
  await sql`truncate releases`
  await until(() => events.length === 7)
  expect(events).toEqual([
    "listening",
    "changed 1",
    "released",
    "changed undefined",
    "released",
    "released",
    "released",
  ])
  await stop()
})

test("A lost connection is replaced once", async () => {
  const { events, stop, markUnavailable } = recordingSubscriber(database.url)
  await until(() => events.length === 1)
  markUnavailable(new Error("The database does not respond"))
  markUnavailable(new Error("The database does not respond"))
  await until(() => events.length === 3)
  await notify("2")
  await until(() => events.length === 4)
  expect(events).toEqual(["listening", "lost", "listening", "changed 2"])
  expect(await sessions()).toHaveLength(1)
  await stop()
})

test("An unreachable database is retried, and reported as one loss", async () => {
  using proxy = await throughProxy(database.url)
  proxy.cut()
  const { events, stop } = recordingSubscriber(proxy.url)
  await until(() => events.length === 1, 20_000)
  expect(events).toEqual(["lost"])
  proxy.mend()
  await until(() => events.length === 2)
  proxy.cut()
  const refused = proxy.refused()
  await until(() => proxy.refused() >= refused + 2)
  proxy.mend()
  await until(() => events.length === 4)
  expect(events).toEqual(["lost", "listening", "lost", "listening"])
  await stop()
})

test("A stopped subscriber leaves no connection and reports no loss", async () => {
  const { events, stop } = recordingSubscriber(database.url)
  await until(() => events.length === 1)
  await stop()
  await until(async () => (await sessions()).length === 0)
  expect(events).toEqual(["listening"])
})

test("A subscriber that stops before its first connection leaves none", async () => {
  const { events, stop } = recordingSubscriber(database.url)
  await stop()
  await until(async () => (await sessions()).length === 0)
  expect(events).toEqual([])
})
