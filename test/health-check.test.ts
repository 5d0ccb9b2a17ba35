/** The health check tells a process that answers from one that does not, and asks nothing of the database. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { interruptibleProxy } from "./contract/interruptible-proxy.ts"
import { migrated, type TestDatabase, testDatabase } from "./support/postgres.ts"
import { detachedProcess } from "./support/process.ts"
import { freePort } from "./support/supervised.ts"
import { until } from "./support/until.ts"

setDefaultTimeout(60_000)

let database: TestDatabase
let service: Awaited<ReturnType<typeof detachedProcess>>
let proxy: Awaited<ReturnType<typeof interruptibleProxy>>

beforeAll(async () => {
  database = await testDatabase(migrated)
  const url = new URL(database.url)
  proxy = await interruptibleProxy({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  service = await detachedProcess({ DATABASE_URL: url.href }, {})
})

afterAll(async () => {
  service.child.kill("SIGKILL")
  await service.child.exited
  proxy.close()
  await database.drop()
})

const program = Bun.fileURLToPath(new URL("../src/health-check.ts", import.meta.url))

async function health(settings: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, program], {
    env: { ...process.env, PORT: String(service.port), ...settings },
    stdout: "ignore",
    stderr: "pipe",
  })
  const [exitCode, said] = await Promise.all([child.exited, child.stderr.text()])
  return { exitCode, said }
}

test("a process that answers is healthy", async () => {
  expect(await health()).toEqual({ exitCode: 0, said: "" })
})

test("it is asked on the address that it listens on", async () => {
  for (const HOST of ["0.0.0.0", "127.0.0.1", "localhost"]) {
    expect([HOST, (await health({ HOST })).exitCode]).toEqual([HOST, 0])
  }
})

test("a proxy in the environment is not asked", async () => {
  const HTTP_PROXY = `http://127.0.0.1:${freePort()}`
  expect((await health({ HTTP_PROXY, http_proxy: HTTP_PROXY })).exitCode).toBe(0)
})

test("it is healthy, though not ready, while its database does not answer", async () => {
  proxy.silence()
  await until(async () => (await fetch(`${service.url}/health/ready`)).status === 503, 30_000)
  expect(await health()).toEqual({ exitCode: 0, said: "" })
})

test("a frozen process is unhealthy, and the check ends within its time", async () => {
  service.child.kill("SIGSTOP")
  const startedMs = performance.now()
  const { exitCode, said } = await health()
  const tookMs = performance.now() - startedMs
  service.child.kill("SIGCONT")
  expect([exitCode, said]).toEqual([
    1,
    `Unhealthy: ${service.url}/health/live has not answered within 3 seconds\n`,
  ])
  expect(tookMs).toBeLessThan(10_000)
})

test("where operators have a port of their own, that is asked", async () => {
  const ADMIN_PORT = String(freePort())
  expect((await health({ ADMIN_PORT })).said).toBe(
    `Unhealthy: http://127.0.0.1:${ADMIN_PORT}/livez cannot be reached\n`,
  )
  const separate = await detachedProcess({ DATABASE_URL: database.url, ADMIN_PORT }, {})
  expect(await health({ ADMIN_PORT, PORT: "0" })).toEqual({ exitCode: 0, said: "" })
  separate.child.kill("SIGKILL")
  await separate.child.exited
})

test("nobody listening, a wrong answer, an unknown port and invalid settings are unhealthy, each with its reason", async () => {
  const port = freePort()
  expect(await health({ PORT: String(port) })).toEqual({
    exitCode: 1,
    said: `Unhealthy: http://127.0.0.1:${port}/health/live cannot be reached\n`,
  })
  const other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("", { status: 404 }),
  })
  expect((await health({ PORT: String(other.port) })).said).toBe(
    `Unhealthy: ${other.url}health/live answered 404\n`,
  )
  await other.stop(true)
  expect((await health({ PORT: "0" })).said).toBe(
    "Cannot check the health of a service on PORT=0: it may be any port\n",
  )
  expect((await health({ PORT: "no" })).said).toStartWith("Cannot use the settings:\nPORT must be")
})
