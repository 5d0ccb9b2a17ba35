/**
 * While the database does not respond, requests get 503 at once, and no cached token is accepted. A slow
 * statement on a database that responds runs to its end. The service recovers within five seconds.
 */
import { beforeEach, expect, test } from "bun:test"
import { renameSync } from "node:fs"
import postgres from "postgres"
import { callersOf, report } from "../faults/callers.ts"
import { afterFile } from "../support/of-file.ts"
import { ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { awkwardPublished, serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { throughProxy } from "./interruptible-proxy.ts"

const server = await ownServer()
afterFile(server.stop)
const { password } = new URL(server.url)
const proxy = await throughProxy(server.url)
afterFile(proxy.close)
const note = await fillWith(awkwardPublished, server.url)
const service = await serviceOfFile({
  beside: { database: { url: server.url, note, drop: async () => {} } },
  holdsLocks: false,
  reach: () => proxy.url,
})

const paths = ["/companies", "/companies/BIG", "/reports?format=csv&all=true", "/usage", "/nothing"]

async function isBack(): Promise<boolean> {
  const responses = await Promise.all(paths.map((path) => service.get(path)))
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  return (
    responses.every(({ status }) => [200, 404].includes(status)) &&
    metrics.includes("\nmds_notifications_listening 1\n")
  )
}

beforeEach(async () => {
  proxy.mend()
  await until(isBack)
})

/** Breaks the network, and sends a request that needs the database, so that its silence is noticed. */
async function lose(): Promise<void> {
  const losses = () => service.logLines.filter((line) => line.includes("database does not respond"))
  const before = losses().length
  proxy.silence()
  expect((await service.get(`/reports?search=${before}`)).status).toBe(503)
  await until(() => losses().length > before)
}

test("Every request with a token gets 503 at once, and 200 within five seconds of the database's return", async () => {
  await lose()
  const startedMs = performance.now()
  for (const path of paths) {
    const { status, headers } = await service.get(path)
    expect([path, status, headers.get("cache-control")]).toEqual([path, 503, "no-store"])
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
    for (const name of ["limit", "remaining", "reset"]) {
      expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
    }
  }
  const refused = await service.get("/companies")
  expect(await refused.json()).toEqual({
    error: { code: "UNAVAILABLE", message: "Service unavailable, try again shortly" },
  })
  expect(performance.now() - startedMs).toBeLessThan(2_000)
  for (const token of [null, "nonsense"]) {
    expect((await service.get("/companies", { token })).status).toBe(401)
  }
  const mendedMs = performance.now()
  proxy.mend()
  await until(isBack)
  expect(performance.now() - mendedMs).toBeLessThan(5_000)
})

test("A token revoked during an outage is not accepted again", async () => {
  const token = await service.issue("revoked@example.com")
  const statusOf = async () => (await service.get("/companies", { token })).status
  const statuses = new Set<number>()
  await until(async () => (await statusOf()) === 200)
  await lose()
  await server.run(`update tokens set revoked_at = now() from accounts
    where accounts.id = account_id and email = 'revoked@example.com'`)
  for (let round = 0; round < 5; round++) statuses.add(await statusOf())
  proxy.mend()
  await until(async () => {
    statuses.add(await statusOf())
    return statuses.size > 1 && (await isBack())
  })
  expect([...statuses]).toEqual([503, 401])
})

test("A statement of three seconds completes while the database accepts no connection", async () => {
  await service.sql.unsafe(`alter table reports rename to reports_kept;
    create view reports as select kept.* from reports_kept kept, (select pg_sleep(3)) slow`)
  const response = service.get("/reports/a3")
  await until(async () => {
    const sleeping = await service.sql`select from pg_stat_activity where wait_event = 'PgSleep'`
    return sleeping.length > 0
  })
  const taken = await takeAllConnections()
  // The connection of the probe must be opened again, which fails.
  await service.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'mds readiness'`
  taken.push(...(await takeAllConnections()))
  expect((await response).status).toBe(200)
  await Promise.all(taken.map((each) => each.end({ timeout: 1 })))
  await service.sql.unsafe("drop view reports; alter table reports_kept rename to reports")
})

/** Connects until the server rejects a connection. */
async function takeAllConnections(): Promise<postgres.Sql[]> {
  const taken: postgres.Sql[] = []
  for (;;) {
    const next = postgres(server.url, { max: 1, connect_timeout: 5, fetch_types: false })
    try {
      await next`select 1`
      taken.push(next)
    } catch {
      await next.end({ timeout: 0 })
      return taken
    }
  }
}

/** Another database than the service's, for statements while the service's rejects connections. */
const maintenance = "template1"

const terminateSessions = `
  select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'mds %'`

async function fileOfReports(): Promise<string> {
  const [row] = await server.run<{ path: string }>(
    "select current_setting('data_directory') || '/' || pg_relation_filepath('reports') as path",
  )
  return row?.path ?? ""
}

let reads = 0

/** All reports, by an address that no request had before, so that no cache has the response. */
const readReports = () => service.get(`/reports?from=${dayAfter(++reads)}`)

const dayAfter = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10)

const faults = [
  { name: "is killed", cause: server.kill, mend: server.start },
  { name: "is frozen", cause: server.freeze, mend: server.thaw },
  { name: "restarts", cause: server.shutDown, mend: server.start },
  {
    name: "refuses connections",
    cause: async () => {
      await server.run("alter database postgres allow_connections false", maintenance)
      await server.run(terminateSessions, maintenance)
    },
    mend: () => server.run("alter database postgres allow_connections true", maintenance),
  },
  {
    name: "can't read a table, as on a disk that fails",
    cause: async () => {
      const file = await fileOfReports()
      renameSync(file, `${file}.away`)
      // Its sessions have the file open.
      await server.run(terminateSessions)
    },
    mend: async () => {
      const file = await fileOfReports()
      renameSync(`${file}.away`, file)
    },
  },
]

test.each(faults)(
  "Every response is the data or 503 while the database $name, and the data after",
  async ({ name, cause, mend }) => {
    const callers = await callersOf({ url: service.url, token: service.tokens.admin })
    const observed = callers.observe()
    try {
      await cause()
      await until(() => (observed.statuses[503] ?? 0) > 0)
      await callers.nextRound()
    } finally {
      await mend()
    }
    const mendedMs = performance.now()
    await callers.allServed()
    const recoveryMs = performance.now() - mendedMs
    await callers.stop()
    report(`The database ${name}`, observed, recoveryMs)
    expect(recoveryMs).toBeLessThan(5_000)
    expect([...observed.violations]).toEqual([])
  },
)

test("Every response is the data or 503 while sessions are terminated", async () => {
  const expected = await (await readReports()).text()
  for (let round = 0; round < 20; round++) {
    const requests = Array.from({ length: 10 }, readReports)
    await server.run(terminateSessions)
    for (const response of await Promise.all(requests)) {
      if (response.status === 200) expect(await response.text()).toBe(expected)
      else expect(response.status).toBe(503)
    }
  }
})

test("The log has the reason and never the database's password", () => {
  const failures = service.logLines.filter((line) => line.includes("request failed"))
  expect(failures.length).toBeGreaterThan(0)
  for (const line of failures) {
    const { cause, error } = JSON.parse(line)
    expect(cause?.code ?? error).toBeString()
  }
  expect(service.logLines.join("")).not.toContain(decodeURIComponent(password))
})
