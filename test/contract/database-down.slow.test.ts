/**
 * While the database refuses, is silent or ends its connections, requests are answered with 503
 * within a bounded time, and the service recovers by itself.
 */

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { interruptibleProxy } from "./interruptible-proxy.ts"

let service: TestService
let proxy: Awaited<ReturnType<typeof interruptibleProxy>>

/** The longest that an answer may take: the wait for a place, then the statement's deadline. */
const boundMs = 10_000

beforeAll(async () => {
  // The proxy must listen before the service is told its port, and needs the database's to forward.
  let to = { host: "127.0.0.1", port: 0 }
  proxy = await interruptibleProxy({
    get host() {
      return to.host
    },
    get port() {
      return to.port
    },
  })
  service = await testService({
    settings: {
      STATEMENT_TIMEOUT_SECONDS: "1",
      DATABASE_CONNECTIONS: "6",
    },
    reach: (databaseUrl) => {
      const url = new URL(databaseUrl)
      to = { host: url.hostname, port: Number(url.port) }
      url.host = `127.0.0.1:${proxy.port}`
      return url.href
    },
  })
})

beforeEach(recovered)

afterAll(async () => {
  await recovered()
  await service.stop()
  proxy.close()
})

async function recovered(): Promise<void> {
  proxy.mend()
  await until(async () => (await service.get("/companies")).status === 200)
  await until(async () => (await health("readyz"))[1].notifications === "listening")
}

/** What a check says that is not answered with what an earlier one found. */
const health = async (check: string): Promise<[status: number, body: Record<string, unknown>]> => {
  service.clock.advance(1_000)
  const answer = await fetch(`${service.url}/${check}`)
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

async function expectUnavailable(path: string): Promise<void> {
  const startedMs = performance.now()
  const answer = await service.get(path)
  expect([path, answer.status, await answer.json()]).toEqual([
    path,
    503,
    { error: { code: "UNAVAILABLE", message: "Service unavailable, try again shortly" } },
  ])
  expect(performance.now() - startedMs).toBeLessThan(boundMs)
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
  expect(answer.headers.get("cache-control")).toBe("no-store")
  for (const name of ["limit", "remaining", "reset"]) {
    expect(answer.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
  }
}

const paths = ["/companies", "/companies/BIG", "/reports?format=csv&all=true", "/usage", "/nothing"]

test("a database that refuses is answered 503 in time, and used again when it is back", async () => {
  proxy.cut()
  await Promise.all(paths.map(expectUnavailable))
  await expectUnavailable("/tenements")
  await recovered()
})

test("without the database an anonymous caller still gets 401, and a malformed token too", async () => {
  proxy.cut()
  for (const token of [null, "nonsense"]) {
    expect((await service.get("/companies", { token })).status).toBe(401)
  }
})

test("a database that is gone is answered 503, and used again when it is back", async () => {
  const name = new URL(service.database.url).pathname.slice(1)
  const administrator = new URL(service.database.url)
  administrator.pathname = "/postgres"
  await using sql = new Bun.SQL(administrator.href, { max: 1 })
  const rename = async (from: string, to: string) => {
    // The service and the test connect anew at any moment, and nobody may be connected.
    await until(async () => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${from}`
      return sql.unsafe(`alter database "${from}" rename to "${to}"`).then(
        () => true,
        () => false,
      )
    })
  }
  await rename(name, `${name}_gone`)
  await expectUnavailable("/companies")
  await rename(`${name}_gone`, name)
})

test("a service that stops while its database is silent says how many counts may be lost", async () => {
  let target = new URL("tcp://localhost")
  const between = await interruptibleProxy({
    get host() {
      return target.hostname
    },
    get port() {
      return Number(target.port)
    },
  })
  const stopping = await testService({
    reach: (databaseUrl) => {
      target = new URL(databaseUrl)
      return databaseUrl.replace(target.host, `127.0.0.1:${between.port}`)
    },
  })
  await stopping.get("/companies")
  between.silence()
  // The token is known, and nothing else is needed of the database.
  for (let request = 0; request < 3; request++) {
    expect((await stopping.get("/nothing")).status).toBe(404)
  }
  await stopping.stop()
  between.close()
  const warnings = stopping.logLines.map((line) => JSON.parse(line))
  const unwritten = warnings
    .filter(({ event }) => event === "the use of accounts was not recorded")
    .at(-1)?.unwritten_requests
  // The first may have been written.
  expect([3, 4]).toContain(unwritten)
})

test("the log tells why, and not the database's password", () => {
  const failures = service.logLines.filter((line) => line.includes("request failed"))
  expect(failures.length).toBeGreaterThan(0)
  const { password } = new URL(service.database.url)
  expect(password).not.toBe("")
  for (const line of service.logLines) expect(line).not.toContain(decodeURIComponent(password))
  const causes = failures
    .map((line) => JSON.parse(line))
    .map(({ cause, error }) => cause?.code ?? error)
  for (const cause of causes) expect(cause).toBeString()
})
