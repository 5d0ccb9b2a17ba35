/** Callers that ask without pause while something breaks, and check every response. */
import { until } from "../support/until.ts"

/** Callers may get data from before the fault, or an error in the envelope. */
const refusal = {
  error: { code: "UNAVAILABLE", message: "Service unavailable, try again shortly" },
}

const pathsOfAwkwardRecords = [
  "/companies",
  "/tenements?per_page=7&page=2",
  "/reports",
  "/companies/BIG",
  "/companies/BIG/tenements",
  "/reports?format=csv&all=true",
  "/tenements?format=csv&all=true",
]

export interface Observed {
  /** Responses by status. */
  statuses: Record<string, number>
  slowestMs: number
  /** Responses that no caller may get, one per line. */
  violations: Set<string>
}

interface Caller {
  /** When the newest request with a response, and the newest with a 200, were sent. */
  responseMs: number
  servedMs: number
}

export interface CallersOptions {
  url: string
  token: string
  paths?: readonly string[]
  /** Between two requests of a caller. */
  pauseMs?: number
}

/** Starts a caller for each path; the first response of each is the expected one. */
export async function callersOf({
  url,
  token,
  paths = pathsOfAwkwardRecords,
  pauseMs = 5,
}: CallersOptions) {
  const ask = (path: string) =>
    fetch(`${url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } })
  const expected = new Map<string, string>()
  for (const path of paths) {
    const response = await ask(path)
    if (response.status !== 200) throw new Error(`${path} responds ${response.status}`)
    expected.set(path, await response.text())
  }
  let observed = nothing()
  let stopped = false

  function violation(path: string, response: Response, body: string): string | null {
    if (response.status === 200) return body === expected.get(path) ? null : "other data"
    if (response.status !== 503) return "an unexpected status"
    if (!/^[1-9]\d*$/.test(response.headers.get("retry-after") ?? "")) return "no Retry-After"
    return Bun.deepEquals(JSON.parse(body), refusal) ? null : "another envelope"
  }

  async function request(path: string, caller: Caller): Promise<void> {
    const sentMs = performance.now()
    let status = "aborted"
    try {
      const response = await ask(path)
      const body = await response.text()
      status = String(response.status)
      const found = violation(path, response, body)
      if (found) observed.violations.add(`${path}: ${status} ${found}: ${body.slice(0, 200)}`)
      if (response.status === 200) caller.servedMs = sentMs
    } catch (error) {
      // An export may break off, as one whose data is lost does: a client sees that it is incomplete.
      if (!path.includes("all=true")) observed.violations.add(`${path}: ${error}`)
    }
    caller.responseMs = sentMs
    observed.statuses[status] = (observed.statuses[status] ?? 0) + 1
    observed.slowestMs = Math.max(observed.slowestMs, performance.now() - sentMs)
  }

  const callers = paths.map((): Caller => ({ responseMs: 0, servedMs: 0 }))
  const running = callers.map(async (caller, index) => {
    while (!stopped) {
      await request(paths[index] ?? "", caller)
      await Bun.sleep(pauseMs)
    }
  })
  const all = (has: (caller: Caller) => boolean) => until(() => callers.every(has))

  return {
    /** Begins to count anew. Requests in progress are counted. */
    observe: () => {
      observed = nothing()
      return observed
    },
    /** Waits until each caller has sent a request from now on and got its response. */
    nextRound: () => {
      const nowMs = performance.now()
      return all(({ responseMs }) => responseMs > nowMs)
    },
    /** Waits until each caller has got 200 for a request that it sent from now on. */
    allServed: () => {
      const nowMs = performance.now()
      return all(({ servedMs }) => servedMs > nowMs)
    },
    stop: async () => {
      stopped = true
      await Promise.all(running)
    },
  }
}

/** Prints what callers noticed, for the guide's table of faults. */
export function report(fault: string, { statuses, slowestMs }: Observed, recoveryMs: number): void {
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  process.stderr.write(
    `${fault}: ${counts.join(", ")}; slowest ${Math.round(slowestMs)} ms; served ${Math.round(recoveryMs)} ms after\n`,
  )
}

const nothing = (): Observed => ({
  statuses: {},
  slowestMs: 0,
  violations: new Set(),
})
