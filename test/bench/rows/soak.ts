/** Load for minutes with exports that come and go, while PostgreSQL is restarted and killed. */
import postgres, { type Sql } from "postgres"
import { callersOf } from "../../faults/callers.ts"
import { type OwnServer, ownServer } from "../../support/own-server.ts"
import { ensureLoaded, sizesOf } from "../data.ts"
import type { Environment } from "../environment.ts"
import { issueUnlimited } from "../own-accounts.ts"
import { memoryOf } from "../processes.ts"
import type { Outcome, Row } from "../row.ts"
import { quantile, slope } from "../statistics.ts"
import { targetsFile, wrkSummary } from "../wrk.ts"
import { mixedTargets } from "./memory.ts"

const sizes = { tenements: 20_000, reports: 40_000 }
const sampleSeconds = 10
const warmUpSeconds = 60
const paths = [
  "/companies?per_page=20",
  "/tenements?per_page=20&page=3",
  "/reports?per_page=20",
  "/companies?format=csv&all=true",
]

/** Exports one after another: some are read, some given up in the middle. */
async function exportInTurns(url: string, token: string, isOver: () => boolean): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  let begun = 0
  for (; !isOver(); begun++) {
    try {
      const answer = await fetch(`${url}/api/v1/tenements?format=csv&all=true`, { headers })
      const reader = answer.body?.getReader()
      for (let chunk = 0; reader && !(await reader.read()).done; chunk++) {
        if (begun % 2 === 1 && chunk === 3) await reader.cancel()
      }
    } catch {
      // Broken off with the database, as it has to be.
      await Bun.sleep(50)
    }
  }
  return begun
}

async function restarts(server: OwnServer, seconds: number): Promise<void> {
  await Bun.sleep((seconds * 1000) / 2)
  await server.shutDown()
  await server.start()
  await Bun.sleep((seconds * 1000) / 6)
  await server.kill()
  await server.start()
}

const connectionsTo = async (server: OwnServer): Promise<number> => {
  const [row] = await server.run<{ count: number }>(
    "select count(*)::int from pg_stat_activity where application_name like 'mds %'",
  )
  return row?.count ?? 0
}

async function soakOn(environment: Environment, server: OwnServer, sql: Sql): Promise<Outcome> {
  const { memorySeconds: seconds, scratch, log } = environment
  await ensureLoaded(server.url, sql, sizes, log)
  const targets = await mixedTargets({ sql, counted: await sizesOf(sql) })
  const [ofWrk, token = ""] = await issueUnlimited(server.url, 2)
  const headers = { Authorization: `Bearer ${ofWrk}` }
  const { url, pid } = await environment.freshService({}, server.url)
  const callers = await callersOf({ url, token, paths, pauseMs: 100 })
  const observed = callers.observe()

  log(`load for ${seconds} s`)
  let isOver = false
  const exporting = [0, 1].map(() => exportInTurns(url, token, () => isOver))
  const memory: [minutes: number, mb: number][] = []
  const connections: number[] = []
  const startedMs = performance.now()
  const sample = async (): Promise<void> => {
    memory.push([(performance.now() - startedMs) / 60_000, memoryOf(pid, "now")])
    const count = await connectionsTo(server).catch(() => 0)
    connections.push(count)
    log(`${memoryOf(pid, "now").toFixed(0)} MB, ${count} connections`)
  }
  const sampling = setInterval(sample, sampleSeconds * 1000)
  const breaking = restarts(server, seconds)
  const summary = await wrkSummary(targetsFile(scratch, "soak", targets)(), {
    url,
    headers,
    seconds,
  })
  await breaking
  clearInterval(sampling)
  isOver = true
  const exports = (await Promise.all(exporting)).reduce((sum, each) => sum + each)
  await callers.allServed()
  await callers.stop()
  await Bun.sleep(1_000)

  const one = (value: number) => ({ samples: [value] })
  const settled = memory.filter(([minutes]) => minutes >= warmUpSeconds / 60)
  return {
    figures: {
      "violations of the contract": { unit: "", ...one(observed.violations.size) },
      "requests without a response": { unit: "", ...one(summary.unanswered) },
      "connections at most": { unit: "", ...one(quantile(connections, 1)) },
      "connections at the end": { unit: "", ...one(await connectionsTo(server)) },
      "slowest of the checked": { unit: "ms", ...one(observed.slowestMs) },
      ...(settled.length > 2 && { slope: { unit: "MB/minute" as const, ...one(slope(settled)) } }),
    },
    notes: [
      `${summary.requests} requests of wrk, ${summary.failed} refused; checked: ${JSON.stringify(observed.statuses)}; ${exports} exports`,
      `memory in MB each ${sampleSeconds} s: ${memory.map(([, mb]) => mb.toFixed(0)).join(" ")}`,
      ...observed.violations,
    ],
  }
}

export const soak: Row = {
  name: "soak",
  work: "mixed load and exports while PostgreSQL is restarted and killed",
  needs: ["wrk", "/proc"],
  targets: [
    { figure: "slope", atMost: 1 },
    { figure: "violations of the contract", atMost: 0 },
    { figure: "requests without a response", atMost: 0 },
    { figure: "connections at most", atMost: 29 },
    { figure: "connections at the end" },
    { figure: "slowest of the checked", atMost: 2_000 },
  ],
  run: async (environment) => {
    const server = await ownServer({ settings: { shared_buffers: "128MB" } })
    const sql = postgres(server.url, { max: 2, onnotice: () => {} })
    try {
      return await soakOn(environment, server, sql)
    } finally {
      await sql.end({ timeout: 1 })
      await server.stop()
    }
  },
}
