/** `/readyz` needs no token, so requests for it must not delay the callers of the API. */

import { beforeEach, expect, test } from "bun:test"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"

const ready = { status: "ready", release: 1, redis: "unused", notifications: "listening" }
const service = await serviceOfFile({
  settings: { DATABASE_CONNECTIONS: "6" },
  holdsLocks: false,
})

// Each test begins with a check that is due, and a service that is ready.
beforeEach(() =>
  until(async () => {
    service.clock.advance(1_000)
    return (await ask()).status === 200
  }),
)

const ask = () => fetch(`${service.url}/readyz`)

/** Running and waiting statements of the check's pool and of all others together. */
async function load() {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const measured = [
    ...text.matchAll(/connection_(count|pending_requests){\w+_pool_name="([\w-]+)".*} (\d+)/g),
  ]
  const of = (state: string, isCheck: boolean) =>
    measured
      .filter(([, of, pool]) => of === state && (pool === "accounts") === isCheck)
      .reduce((sum, [, , , count]) => sum + Number(count), 0)
  return {
    check: [of("count", true), of("pending_requests", true)],
    others: [of("count", false), of("pending_requests", false)],
  }
}

/** Does `work` while no statement can read a table. */
const whileLocked = (table: string, work: () => Promise<void>) =>
  service.sql.begin(async (sql) => {
    await sql`lock table ${sql(table)} in access exclusive mode`
    await work()
  })

test("The service stays ready while callers use every connection and queue place", async () => {
  let callers: Promise<Response>[] = []
  await whileLocked("companies", async () => {
    callers = Object.values(service.tokens).map((token, index) =>
      service.get(`/companies/X${index}`, { token }),
    )
    await until(async () => String((await load()).others) === "2,1")
    service.clock.advance(1_000)
    const response = await ask()
    expect([response.status, await response.json()]).toMatchObject([200, ready])
  })
  await Promise.all(callers)
})

test("Concurrent readiness checks share one statement and take no caller's connection", async () => {
  await whileLocked("releases", async () => {
    service.clock.advance(1_000)
    const responses = Array.from({ length: 100 }, ask)
    await until(async () => (await load()).check[0] === 1)
    service.clock.advance(1_000)
    responses.push(...Array.from({ length: 100 }, ask))
    expect(await load()).toEqual({ check: [1, 0], others: [0, 0] })
    // The lock is held until the last response.
    for (const { status } of await Promise.all(responses)) expect(status).toBe(503)
  })
})

test("A readiness result is reused for one second", async () => {
  const release = async () => ((await (await ask()).json()) as typeof ready).release
  const before = await release()
  await service.sql`
    insert into releases (id, published_at, source, manifest)
    values (${before + 1}, '2026-02-01', 'test', '{}')`
  service.clock.advance(999)
  expect(await release()).toBe(before)
  service.clock.advance(1)
  expect(await release()).toBe(before + 1)
  await service.sql`delete from releases where id = ${before + 1}`
})
