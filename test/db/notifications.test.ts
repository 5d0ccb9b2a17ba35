import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { changeAndConfirm, subscribeToChanges } from "../../src/db/notifications.ts"
import { interruptibleProxy } from "../contract/interruptible-proxy.ts"
import { until } from "../contract/raw-http.ts"
import { type TestDatabase, testDatabase } from "../support/postgres.ts"

let database: TestDatabase
let sql: postgres.Sql

beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

const tell = (payload: string) => sql`select pg_notify('mds_access', ${payload})`

const listeners = () => sql<{ pid: number }[]>`
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'mds notifications'`

/** Listens, and keeps what it hears in order. */
function listener(url = database.url) {
  const heard: string[] = []
  const { stop } = subscribeToChanges(url, {
    onListening: () => heard.push("listening"),
    onChange: (accountId) => heard.push(`changed ${accountId}`),
    onLost: () => heard.push("lost"),
  })
  return { heard, stop }
}

async function databaseThroughProxy() {
  const { hostname, port } = new URL(database.url)
  const proxy = await interruptibleProxy({ host: hostname, port: Number(port) })
  const through = new URL(database.url)
  through.host = `127.0.0.1:${proxy.port}`
  return { proxy, url: through.href }
}

test("notices come in their order, an empty one for any account", async () => {
  const { heard, stop } = listener()
  await until(() => heard.length === 1)
  for (const payload of ["1", "2", ""]) await tell(payload)
  await until(() => heard.length === 4)
  expect(heard).toEqual(["listening", "changed 1", "changed 2", "changed undefined"])
  await stop()
})

test("a connection that the server ends is told of as lost, and made anew", async () => {
  const { heard, stop } = listener()
  await until(() => heard.includes("listening"))
  for (const { pid } of await listeners()) await sql`select pg_terminate_backend(${pid})`
  await until(() => heard.length === 3)
  await tell("7")
  await until(() => heard.length === 4)
  expect(heard).toEqual(["listening", "lost", "listening", "changed 7"])
  await stop()
})

test("a database that can't be reached is tried until it can, and is one loss", async () => {
  const { proxy, url } = await databaseThroughProxy()
  proxy.cut()
  const { heard, stop } = listener(url)
  await until(() => heard.length === 1, 20_000)
  expect(heard).toEqual(["lost"])
  proxy.mend()
  await until(() => heard.length === 2)
  proxy.cut()
  const refused = proxy.refused()
  await until(() => proxy.refused() >= refused + 2)
  proxy.mend()
  await until(() => heard.length === 4)
  expect(heard).toEqual(["lost", "listening", "lost", "listening"])
  await stop()
  proxy.close()
})

test("one that stops listening leaves no connection, and hears no loss", async () => {
  const { heard, stop } = listener()
  await until(() => heard.length === 1)
  await stop()
  await until(async () => (await listeners()).length === 0)
  expect(heard).toEqual(["listening"])
})

test("stopping before the first connection stands leaves none", async () => {
  const { heard, stop } = listener()
  await stop()
  await until(async () => (await listeners()).length === 0)
  expect(heard).toEqual([])
})

test("who changes something goes on when all who listen have heard of it", async () => {
  const all = Array.from({ length: 5 }, () => listener())
  await until(() => all.every(({ heard }) => heard.length === 1))
  for (let change = 0; change < 20; change++) {
    const { value, unconfirmed } = await changeAndConfirm(database.url, async (client) => {
      await client`select pg_notify('mds_access', ${String(change)})`
      return change
    })
    expect([value, unconfirmed]).toEqual([change, 0])
    for (const { heard } of all) expect(heard.at(-1)).toBe(`changed ${change}`)
  }
  for (const { stop } of all) await stop()
})

test("one that listens and does not confirm is waited for, but not for ever, and is counted", async () => {
  const deaf = postgres(database.url, {
    max: 1,
    connection: { application_name: "mds notifications" },
  })
  await deaf`select 1`
  const startedMs = performance.now()
  const { value, unconfirmed } = await changeAndConfirm(database.url, async () => "done")
  expect([value, unconfirmed]).toEqual(["done", 1])
  expect(performance.now() - startedMs).toBeGreaterThan(1_900)
  await deaf.end()
})

test("one that can't be reached is counted, whatever name its address gives it", async () => {
  const { proxy, url } = await databaseThroughProxy()
  const named = new URL(url)
  named.searchParams.set("application_name", "production")
  const { heard, stop } = listener(named.href)
  await until(() => heard.length === 1)
  proxy.silence()
  expect((await changeAndConfirm(database.url, async () => "done")).unconfirmed).toBe(1)
  proxy.cut()
  await stop()
  proxy.close()
})

test("one of another role is counted by a role that may not see what it does", async () => {
  const role = `command_${crypto.randomUUID().replaceAll("-", "")}`
  await sql`create role ${sql(role)} login password 'command'`
  const url = new URL(database.url)
  url.username = role
  url.password = "command"
  const { heard, stop } = listener()
  await until(() => heard.length === 1)
  expect((await changeAndConfirm(url.href, async () => "done")).unconfirmed).toBe(0)
  const deaf = postgres(database.url, {
    max: 1,
    connection: { application_name: "mds notifications" },
  })
  await deaf`select 1`
  expect((await changeAndConfirm(url.href, async () => "done")).unconfirmed).toBe(1)
  await Promise.all([deaf.end(), stop()])
  await sql`drop role ${sql(role)}`
})

test("what was changed is not lost where nobody can be asked to confirm it", async () => {
  const { proxy, url } = await databaseThroughProxy()
  const changed = changeAndConfirm(url, async (client) => {
    await client`select 1`
    proxy.cut()
    return "the only copy of a token"
  })
  expect(await changed).toEqual({ value: "the only copy of a token", unconfirmed: undefined })
  proxy.close()
})

test("a change that fails is told as such, and leaves no connection", async () => {
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
