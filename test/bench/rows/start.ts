/** The start of the service. */
import { freePort } from "../../support/supervised.ts"
import type { Row } from "../bench.ts"
import { type Checkout, measureCheckouts } from "../environment.ts"
import { cpuSecondsOf } from "../processes.ts"
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

export const start: Row = {
  name: "start",
  work: "serve to its first 200",
  run: (environment) => measureCheckouts(environment, startSide),
}
