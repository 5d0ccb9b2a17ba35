/**
 * Operators have a port of their own for metrics and the state of the parts, or use the service's, which
 * tells other machines only whether it lives and is ready.
 */
import { describe, expect, test } from "bun:test"
import { networkInterfaces } from "node:os"
import { version } from "../../package.json"
import { afterFile } from "../support/of-file.ts"
import { serviceOfFile } from "../support/service.ts"
import { freePort } from "../support/supervised.ts"
import { until } from "../support/until.ts"
import { readError } from "./bodies.ts"
import { throughProxy } from "./interruptible-proxy.ts"

/** Of this machine, but not of its loopback interface: a client there is one of another machine. */
const outerAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address

const statusOf = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { headers })).status

const service = await serviceOfFile({ settings: { HOST: "0.0.0.0" } })
const proxy = await throughProxy(service.database.url)
afterFile(proxy.close)
const adminPort = freePort()
const admin = `http://127.0.0.1:${adminPort}`
const administered = await serviceOfFile({
  beside: service,
  settings: { ADMIN_PORT: String(adminPort) },
  reach: () => proxy.url,
})

async function ready() {
  administered.clock.advance(1_000)
  const response = await fetch(`${admin}/readyz`)
  return { status: response.status, body: (await response.json()) as { release: number | null } }
}
// On a busy machine the first connection may take too long, and the result is kept for a second of the clock.
await until(async () => (await ready()).status === 200)

describe("With ADMIN_PORT", () => {
  test("Only the admin port has metrics and the state of the parts; both ports have liveness and readiness", async () => {
    for (const path of ["/livez", "/readyz", "/metrics"]) {
      expect([path, await statusOf(`${admin}${path}`)]).toEqual([path, 200])
    }
    expect(await statusOf(`${administered.url}/metrics`)).toBe(404)
    expect(await statusOf(`${administered.url}/livez`)).toBe(200)
    const ready = await fetch(`${administered.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
  })

  test("The admin port has no API and no pages, and its errors use the envelope", async () => {
    for (const path of ["/", "/docs", "/api/v1/companies", "/nope"]) {
      const response = await fetch(`${admin}${path}`)
      expect([path, response.status, (await readError(response)).code]).toEqual([
        path,
        404,
        "NOT_FOUND",
      ])
      expect(response.headers.get("x-request-id")).toBeString()
    }
    const response = await fetch(`${admin}/livez`, { method: "DELETE" })
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })

  test("Readiness shows the state of each part", async () => {
    const response = await fetch(`${admin}/readyz`)
    expect([response.headers.get("cache-control"), await response.json()]).toEqual([
      "no-store",
      {
        status: "ready",
        version,
        release: 1,
        database: "responding",
        replica: "unused",
        redis: "unused",
        notifications: "listening",
        fetches: "unused",
      },
    ])
  })

  test("While the database does not respond, the service is alive and not ready, and names that part", async () => {
    proxy.silence()
    await until(async () => (await ready()).status === 503)
    const { body } = await ready()
    expect(body).toMatchObject({ status: "unavailable", database: "lost" })
    expect(body.release).toBeNull()
    expect(await statusOf(`${admin}/livez`)).toBe(200)
    expect(await statusOf(`${admin}/metrics`)).toBe(200)
    proxy.mend()
    await until(async () => (await ready()).status === 200)
  })
})

describe("Without ADMIN_PORT", () => {
  test("The service's port serves them all to clients on this machine", async () => {
    for (const path of ["/livez", "/readyz", "/metrics"]) {
      expect([path, await statusOf(`http://127.0.0.1:${service.port}${path}`)]).toEqual([path, 200])
    }
    const body = await (await fetch(`http://127.0.0.1:${service.port}/readyz`)).json()
    expect(body).toMatchObject({ status: "ready", release: 1, redis: "unused" })
  })

  test("A proxied request does not count as local", async () => {
    const url = `http://127.0.0.1:${service.port}`
    for (const name of ["X-Forwarded-For", "Forwarded", "Via"]) {
      const headers = { [name]: "127.0.0.1" }
      expect([name, await statusOf(`${url}/metrics`, headers)]).toEqual([name, 404])
      const ready = await fetch(`${url}/readyz`, { headers })
      expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
    }
  })

  test.skipIf(outerAddress === undefined)(
    "Another machine gets no metrics, and of readiness only the status",
    async () => {
      const url = `http://${outerAddress}:${service.port}`
      const metrics = await fetch(`${url}/metrics`)
      expect([metrics.status, (await readError(metrics)).code]).toEqual([404, "NOT_FOUND"])
      const ready = await fetch(`${url}/readyz`)
      expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
      expect(await statusOf(`${url}/livez`)).toBe(200)
    },
  )
})
