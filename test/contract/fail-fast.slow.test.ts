/**
 * Where data can't be had, requests are answered with 503 within two seconds, whatever the timeout of
 * statements; what is merely slow runs on. The service recovers within five seconds by itself.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import postgres from "postgres"

import { until } from "../support/until.ts"
import { type BreakableService, breakableService } from "./breakable-service.ts"

/** Two seconds are promised, and measured by `bench/faults.ts`; a test shares the machine with others. */
const refusedWithinMs = 4_000
const recoveryMs = 5_000
/** So that none is answered from memory. */
const settings = { CACHE_MEMORY_MB: "0" }
const paths = ["/companies", "/companies/BIG", "/reports?format=csv&all=true", "/usage"]

let server: BreakableService["server"]
let proxy: BreakableService["proxy"]
let service: BreakableService["service"]
let stop: BreakableService["stop"]

beforeAll(async () => {
  ;({ server, proxy, service, stop } = await breakableService(settings))
})

beforeEach(() => isBack())

afterAll(() => stop())

const isBack = () =>
  until(async () => {
    const answers = await Promise.all(paths.map((path) => service.get(path)))
    return answers.every(({ status }) => status === 200)
  })

async function expectRefusedInTime(path: string): Promise<void> {
  const startedMs = performance.now()
  const answer = await service.get(path)
  expect([path, answer.status, await answer.json()]).toEqual([
    path,
    503,
    { error: { code: "UNAVAILABLE", message: "Service unavailable, try again shortly" } },
  ])
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
  expect(performance.now() - startedMs).toBeLessThan(refusedWithinMs)
}

/** How often the service has found that the database does not answer. */
const outages = (): number =>
  service.logLines.filter((line) => line.includes("the database does not answer")).length

async function expectRecovery(): Promise<void> {
  const startedMs = performance.now()
  await isBack()
  expect(performance.now() - startedMs).toBeLessThan(recoveryMs)
  // No statement is left behind, nor its slot.
  await until(async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    const loads = [...text.matchAll(/connection_(?:count|pending_requests)\{.*\} (\d+)/g)]
    return loads.length >= 8 && loads.every(([, count]) => count === "0")
  })
}

describe.each([["a network that drops all packets", () => proxy.silence(), () => proxy.mend()]])(
  "behind %s",
  (_, breakIt, mendIt) => {
    test("every request is answered 503 within two seconds, and 200 soon after it is back", async () => {
      const before = outages()
      try {
        await breakIt()
        await Promise.all([...paths, ...paths].map(expectRefusedInTime))
        await until(() => outages() > before)
        // Nothing is sent there any more.
        const startedMs = performance.now()
        await Promise.all(paths.map(expectRefusedInTime))
        expect(performance.now() - startedMs).toBeLessThan(refusedWithinMs / 2)
      } finally {
        await mendIt()
      }
      await expectRecovery()
    })
  },
)

test("a request in progress is answered 503 within two seconds of the loss", async () => {
  await whileSlow(8, async () => {
    const answer = service.get("/reports")
    await until(async () => (await slowStatements()) > 0)
    proxy.silence()
    const startedMs = performance.now()
    expect((await answer).status).toBe(503)
    expect(performance.now() - startedMs).toBeLessThan(refusedWithinMs)
    proxy.mend()
  })
})

test("on a database that answers, a statement of three seconds runs to its end", async () => {
  await whileSlow(3, async () => {
    const startedMs = performance.now()
    expect((await service.get("/reports")).status).toBe(200)
    expect(performance.now() - startedMs).toBeGreaterThan(3_000)
  })
})

test("it runs to its end also where all connections of the database are taken", async () => {
  await whileSlow(3, async () => {
    const answer = service.get("/reports")
    await until(async () => (await slowStatements()) > 0)
    const taken = await takeAllConnections()
    // The connection that asks how the database is has to be made anew, which fails.
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'mds readiness'`
    taken.push(...(await takeAllConnections()))
    expect((await answer).status).toBe(200)
    await Promise.all(taken.map((each) => each.end({ timeout: 1 })))
  })
})

test("while a table is locked its requests are answered 503 within two seconds, those that queue too", async () => {
  const { admin, standard, enterprise } = service.tokens
  const asked = Array.from({ length: 30 }, (_, page) => `/reports?per_page=1&page=${page + 1}`)
  await service.sql.begin(async (sql) => {
    await sql`lock table reports in access exclusive mode`
    await Promise.all(
      [...asked, "/reports/a1", "/reports?format=csv&all=true"].map(expectRefusedInTime),
    )
    for (const token of [admin, standard, enterprise]) {
      expect((await service.get("/tenements", { token })).status).toBe(200)
    }
  })
  await expectRecovery()
})

/** Does `work` while each statement on the reports takes so many seconds. */
async function whileSlow(seconds: number, work: () => Promise<void>): Promise<void> {
  await service.sql.unsafe(`alter table reports rename to reports_kept;
    create view reports as select kept.* from reports_kept kept, (select pg_sleep(${seconds})) slow`)
  try {
    await work()
  } finally {
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event = 'PgSleep'`
    await service.sql.unsafe("drop view reports; alter table reports_kept rename to reports")
  }
}

async function slowStatements(): Promise<number> {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::int from pg_stat_activity where wait_event = 'PgSleep'`
  return row?.count ?? 0
}

/** Connects until the server refuses. */
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
