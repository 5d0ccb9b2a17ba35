/** Statements are shared, wait in turns, and end within their deadline. */
import { expect, test } from "bun:test"
import { watchAvailability } from "../../../../src/data/db/pool/availability.ts"
import { createPool, type Database, type PoolOptions } from "../../../../src/data/db/pool/pool.ts"
import { Unavailable } from "../../../../src/data/db/pool/unavailable.ts"
import { throughProxy } from "../../../contract/interruptible-proxy.ts"
import { holdLock } from "../../../support/held-locks.ts"
import { afterFile, databaseOfFile } from "../../../support/of-file.ts"
import { emptyDatabase } from "../../../support/postgres.ts"
import { tcpProxy } from "../../../support/tcp-proxy.ts"
import { until } from "../../../support/until.ts"

const database = await databaseOfFile()

function poolOf(options: Partial<PoolOptions> = {}, url = database.url) {
  const pool = createPool(url, {
    name: "pool test",
    connections: 1,
    statementTimeoutMs: 10_000,
    ...options,
  })
  return Object.assign(pool, { [Symbol.asyncDispose]: pool.close })
}

/** A statement that ends on request. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const statement = async (db: Database) => {
    await promise
    const [row] = await db.execute<{ n: number }>("select 1 as n")
    return row?.n
  }
  return { statement, end: resolve }
}

test("An account that waits for its own statements does not delay another with the same statement", async () => {
  await using pool = poolOf({ connections: 2, connectionsPerAccount: 1 })
  const first = held()
  const same = held()
  same.end()
  const running = pool.run(1, "first", first.statement)
  const waiting = pool.run(1, "same", same.statement)
  expect(await pool.run(2, "same", same.statement)).toBe(1)
  expect(pool.readings()).toMatchObject({ running: 1, waiting: 1 })
  first.end()
  await Promise.all([running, waiting])
})

test("The error of a statement reaches all callers that share it, and no later caller", async () => {
  await using pool = poolOf()
  const failing = () => pool.run(1, "key", () => Promise.reject(new Error("Failed")))
  const outcomes = await Promise.allSettled([failing(), failing()])
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  expect(await pool.run(1, "key", async () => "found")).toBe("found")
})

test("A statement that PostgreSQL ends because of a deadlock was unavailable", async () => {
  await using pool = poolOf()
  await using other = await holdLock(database.sql, "select pg_advisory_xact_lock(1)")
  const ended = pool
    .runAlone(null, (db) =>
      db.transaction(async (tx) => {
        await tx.execute("select pg_advisory_xact_lock(2)")
        await tx.execute("select pg_advisory_xact_lock(1)")
      }),
    )
    .catch((error: unknown) => error)
  await until(other.isAwaited)
  await other.run("set local deadlock_timeout = '1min'; select pg_advisory_xact_lock(2)")
  expect(await ended).toMatchObject({
    name: "Unavailable",
    message: "A table is locked",
    cause: { code: "40P01" },
  })
})

test("A statement on a silently lost connection ends at its deadline, and the next one succeeds", async () => {
  using proxy = await throughProxy(database.url)
  await using pool = poolOf({ statementTimeoutMs: 500 }, proxy.url)
  const select = () => pool.runAlone(null, (db) => db.execute("select 1 as n"))
  await select()
  proxy.failOver()
  await expect(select()).rejects.toThrow(Unavailable)
  expect([...(await select())]).toEqual([{ n: 1 }])
})

test("A closed pool rejects running and waiting statements at once, in a transaction or not", async () => {
  await using pool = poolOf({ connections: 2, statementTimeoutMs: 60_000 })
  const sleep = "select pg_sleep(60)"
  const cut = [
    pool.runAlone(1, (db) => db.execute(sleep)),
    pool.runAlone(2, (db) => db.transaction((tx) => tx.execute(sleep))),
    pool.runAlone(3, (db) => db.execute(sleep)),
  ]
  const outcomes = Promise.allSettled(cut)
  await until(async () => {
    await using observer = poolOf()
    const [row] = await observer.runAlone(null, (db) =>
      db.execute<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
      ),
    )
    return row?.n === 2
  })
  pool.cutOff(new Unavailable("lost"))
  for (const outcome of await outcomes) {
    expect(outcome.status === "rejected" && outcome.reason).toBeInstanceOf(Unavailable)
  }
  expect(pool.readings()).toMatchObject({ running: 0, waiting: 0 })
  expect([...(await pool.runAlone(1, (db) => db.execute("select 2 as n")))]).toEqual([{ n: 2 }])
})

const suffix = crypto.randomUUID().replaceAll("-", "")
const role = `role_${suffix}`
const lost = await databaseOfFile(emptyDatabase())
const name = new URL(lost.url).pathname.slice(1)
await database.sql.unsafe(`create role ${role} login password 'first'`)
afterFile(() => database.sql.unsafe(`drop role ${role}`))

test.each([
  ["the password", `role ${role} password 'second'`, `role ${role} password 'first'`],
  [
    "connections to the database",
    `database ${name} allow_connections false`,
    `database ${name} allow_connections true`,
  ],
  [
    "the name of the database",
    `database ${name} rename to lost_${suffix}`,
    `database lost_${suffix} rename to ${name}`,
  ],
])("A database that rejects %s is lost until it accepts the login", async (_, reject, accept) => {
  const { sql } = database
  const ofRole = new URL(lost.url)
  ofRole.username = role
  ofRole.password = "first"
  await sql.unsafe(`alter ${reject}`)
  const availability = watchAvailability({ url: ofRole.href, directUrl: ofRole.href })
  availability.begin()(false)
  await until(() => !availability.isResponding)
  await sql.unsafe(`alter ${accept}`)
  await until(() => availability.isResponding)
  await availability.close()
})

test("A rejected login of the probe ends running statements only after one has failed", async () => {
  const direct = new URL(database.url)
  let logins = 0
  const target = { host: direct.hostname, port: Number(direct.port) }
  const proxy = await tcpProxy(target, (client, server) => {
    logins++
    client.pipe(server).pipe(client)
  })
  direct.port = `${proxy.port}`
  direct.password = "wrong"
  const availability = watchAvailability({ url: database.url, directUrl: direct.href })
  const end = availability.begin()
  // Each probe logs in once.
  await until(() => logins > 4)
  expect(availability.isResponding).toBe(true)
  availability.begin()(false)
  await until(() => !availability.isResponding)
  end(true)
  await availability.close()
  proxy.close()
})
