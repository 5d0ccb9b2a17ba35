/** The start of the service, beside an empty server. */
import { freePort } from "../../support/supervised.ts"
import type { Row } from "../bench.ts"
import { type Checkout, measureCheckouts, repository } from "../environment.ts"
import { cpuSecondsOf, startServer } from "../processes.ts"
import type { Measure } from "../rounds.ts"

/** From the start of the service to its first 200. */
const startSide = async (checkout: Checkout): Promise<Measure> => {
  const headers = { Authorization: `Bearer ${await checkout.token()}` }
  return async () => {
    const port = freePort()
    const url = `http://127.0.0.1:${port}/api/v1/tenements?per_page=1`
    const startedMs = performance.now()
    const [server] = await Promise.all([checkout.start({ PORT: `${port}` }), untilOk(url, headers)])
    const ms = performance.now() - startedMs
    const cpuMs = cpuSecondsOf(server.pid) * 1000
    await server.stop()
    return { ms, "CPU ms": cpuMs }
  }
}

const startLimitMs = 60_000

async function untilOk(url: string, headers: Record<string, string>): Promise<void> {
  const deadlineMs = performance.now() + startLimitMs
  const isOk = async () => (await fetch(url, { headers })).status === 200
  // Until it listens, connections fail.
  while (!(await isOk().catch(() => false))) {
    if (performance.now() > deadlineMs) throw new Error(`${url} did not respond with 200`)
    await Bun.sleep(1)
  }
}

const emptyServer = `
for (const name of ["@elysiajs/bearer", "@sinclair/typebox", "drizzle-orm/postgres-js", "postgres", "lru-cache", "commander"]) await import(name)
const { Elysia } = await import("elysia")
const app = new Elysia().get("/", () => "ok").listen({ port: 0, hostname: "127.0.0.1" })
await (await fetch(app.server.url)).text()
console.log("Listening on http://127.0.0.1:" + app.server.port)`

const emptySide: Measure = async () => {
  const startedMs = performance.now()
  const command = [process.execPath, "-e", emptyServer]
  const server = await startServer(command, {
    cwd: repository,
    announcesOn: "stdout",
    settings: {},
  })
  const ms = performance.now() - startedMs
  const cpuMs = cpuSecondsOf(server.pid) * 1000
  await server.stop()
  return { ms, "CPU ms": cpuMs }
}

export const start: Row = {
  name: "start",
  work: "`serve` to its first 200",
  run: (environment) => measureCheckouts(environment, startSide, { empty: emptySide }),
}
