/** The health check detects whether the process responds, and sends nothing to the database. */
import { afterAll, expect, test } from "bun:test"
import { throughProxy } from "./contract/interruptible-proxy.ts"
import { migrated, testDatabase } from "./support/postgres.ts"
import { detachedProcess } from "./support/process.ts"
import { freePort } from "./support/supervised.ts"
import { until } from "./support/until.ts"

const database = await testDatabase(migrated)
const proxy = await throughProxy(database.url)
const service = await detachedProcess({ DATABASE_URL: proxy.url, HOST: "0.0.0.0" })

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
  const [exitCode, stderr] = await Promise.all([child.exited, child.stderr.text()])
  return { exitCode, stderr }
}

test("A responding process is healthy, whatever proxy the environment names", async () => {
  const HTTP_PROXY = `http://127.0.0.1:${freePort()}`
  for (const settings of [{}, { HOST: "0.0.0.0" }, { HTTP_PROXY, http_proxy: HTTP_PROXY }]) {
    expect(await health(settings)).toEqual({ exitCode: 0, stderr: "" })
  }
})

test("A process is healthy, though not ready, while its database does not respond", async () => {
  proxy.silence()
  await until(async () => (await fetch(`${service.url}/readyz`)).status === 503, 30_000)
  expect(await health()).toEqual({ exitCode: 0, stderr: "" })
})

test("A frozen process is unhealthy, and the check ends in time", async () => {
  service.child.kill("SIGSTOP")
  const startedMs = performance.now()
  const { exitCode, stderr } = await health()
  const tookMs = performance.now() - startedMs
  service.child.kill("SIGCONT")
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Unhealthy: ")])
  expect(tookMs).toBeLessThan(10_000)
})

test("A closed port, a wrong status and invalid settings are unhealthy, each with its reason", async () => {
  expect(await health({ PORT: String(freePort()) })).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining("Unhealthy: "),
  })
  const other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("", { status: 404 }),
  })
  expect((await health({ PORT: String(other.port) })).stderr).toBe(
    `Unhealthy: ${other.url}livez returned 404\n`,
  )
  await other.stop(true)
  expect((await health({ PORT: "no" })).stderr).toStartWith(
    "Cannot use the settings:\nPORT must be",
  )
})
