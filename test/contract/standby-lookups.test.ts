/**
 * Tokens are looked up on a standby only while the primary is lost: one that answers, if only with an error,
 * may know of a revocation that the standby has not seen.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import postgres from "postgres"
import { hashToken } from "../../src/access/token.ts"
import { type OwnServer, ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { awkwardPublished, type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { interruptibleProxy } from "./interruptible-proxy.ts"

let primary: OwnServer
let standby: OwnServer
let proxy: Awaited<ReturnType<typeof interruptibleProxy>>
let service: TestService
/** Sessions of the test's own on both, which nothing ends. */
let onPrimary: postgres.Sql
let onStandby: postgres.Sql

beforeAll(async () => {
  primary = await ownServer()
  proxy = await interruptibleProxy({ host: "127.0.0.1", port: Number(new URL(primary.url).port) })
  const note = await fillWith(awkwardPublished, primary.url)
  standby = await ownServer({ standbyOf: primary })
  ;[onPrimary, onStandby] = [primary, standby].map(({ url }) => postgres(url, { max: 1 })) as [
    postgres.Sql,
    postgres.Sql,
  ]
  // Before all connections are taken.
  await onPrimary`select 1`
  const reached = primary.url.replace(/:\d+\//, `:${proxy.port}/`)
  service = await testService({
    beside: { database: { url: primary.url, note, drop: async () => {} } },
    settings: {
      DATABASE_URL: reached,
      DATABASE_REPLICA_URLS: standby.url,
      CACHE_MEMORY_MB: "0",
    },
    reach: () => reached,
  })
})

beforeEach(() => until(async () => (await service.get("/usage")).status === 200))

afterAll(async () => {
  await service.stop()
  await Promise.all([onPrimary, onStandby].map((sql) => sql.end({ timeout: 1 })))
  proxy.close()
  await standby.stop()
  await primary.stop()
})

/** Replays all that the primary has by now, and nothing that follows. */
async function pauseReplay(): Promise<void> {
  const [row] = await onPrimary<{ at: string }[]>`select pg_current_wal_flush_lsn() as at`
  const at = row?.at ?? ""
  await until(async () => {
    const [found] = await onStandby<{ has: boolean }[]>`
      select pg_last_wal_replay_lsn() >= ${at}::pg_lsn as has`
    return found?.has === true
  })
  await onStandby`select pg_wal_replay_pause()`
  await until(async () => {
    const [found] = await onStandby<{ state: string }[]>`
      select pg_get_wal_replay_pause_state() as state`
    return found?.state === "paused"
  })
}

const resumeReplay = () => onStandby`select pg_wal_replay_resume()`

const revoke = (email: string) => onPrimary`update tokens set revoked_at = now() from accounts
  where accounts.id = account_id and email = ${email}`

/** When the service last asked the primary what it has. */
async function askedAt(): Promise<string | undefined> {
  const [row] = await onPrimary<{ at: string }[]>`select max(query_start)::text as at
    from pg_stat_activity where application_name = 'mds readiness'`
  return row?.at
}

const statusesOf = async (token: string): Promise<number[]> => {
  const statuses: number[] = []
  for (let round = 0; round < 10; round++) {
    statuses.push((await service.get("/companies", { token })).status)
  }
  return [...new Set(statuses)]
}

const logged = (event: string): number =>
  service.logLines.filter(
    (line) => line.includes(event) && line.includes(`127.0.0.1:${proxy.port}`),
  ).length

/** Takes all connections of the primary, those of the service too. */
async function takeAllConnections(): Promise<postgres.Sql[]> {
  const taken: postgres.Sql[] = []
  const ofService = () => onPrimary`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'mds %'`
  for (;;) {
    const next = postgres(primary.url, { max: 1, connect_timeout: 5, fetch_types: false })
    try {
      await next`select 1`
      taken.push(next)
    } catch {
      await next.end({ timeout: 0 })
      if ((await ofService()).length === 0) return taken
    }
  }
}

test("a primary without a free connection is not lost, nor is one that comes back like that", async () => {
  const token = await service.issue("refused@example.com")
  const taken = await takeAllConnections()
  await pauseReplay()
  try {
    await revoke("refused@example.com")
    expect(await statusesOf(token)).toEqual([503])
    expect(logged("the database does not answer")).toBe(0)

    primary.freeze()
    await until(() => logged("the database does not answer") === 1)
    primary.thaw()
    await until(() => logged("the database answers again") === 1)
    expect(await statusesOf(token)).toEqual([503])
  } finally {
    primary.thaw()
    await Promise.all(taken.map((each) => each.end({ timeout: 1 })))
    await resumeReplay()
  }
  await until(async () => (await service.get("/companies", { token })).status === 401)
})

test("a primary that resets the connection of a look-up is not lost", async () => {
  for (let round = 0, conclusive = 0; conclusive < 3; round++) {
    expect(round).toBeLessThan(30)
    const email = `reset${round}@example.com`
    const token = await service.issue(email)
    proxy.endIfSent(hashToken(token))
    try {
      // The next report of the primary, which shows that the standby lags, is as far away as it can be.
      const before = await askedAt()
      await until(async () => (await askedAt()) !== before)
      const reported = await askedAt()
      await pauseReplay()
      await revoke(email)
      expect((await service.get("/companies", { token })).status).toBe(503)
      // Otherwise the standby may have been passed over because it lags.
      if ((await askedAt()) === reported) conclusive++
      expect(await statusesOf(token)).toEqual([503])
    } finally {
      proxy.mend()
      await resumeReplay()
    }
    await until(async () => (await service.get("/companies", { token })).status === 401)
  }
})
