/** Load for minutes with exports that come and go, while PostgreSQL is restarted and killed. */
import postgres, { type Sql } from "postgres"
import { callersOf } from "../../faults/callers.ts"
import { type OwnServer, ownServer } from "../../support/own-server.ts"
import { ensureLoaded, sizesOf } from "../data.ts"
import type { Environment } from "../environment.ts"
import { issueUnlimited } from "../own-accounts.ts"
import { memoryOf } from "../processes.ts"
import type { Outcome, Row } from "../row.ts"
import { lowest, quantile, slope } from "../statistics.ts"
import { targetsFile, wrkSummary } from "../wrk.ts"
import { mixedTargets, warmUpSeconds, windowSeconds } from "./memory.ts"

const sizes = { tenements: 20_000, reports: 40_000 }
const sampleSeconds = 2
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

/** What the service says of its memory: live objects, and of these its caches, in MB. */
async function ownMemory(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const sumOf = (metric: RegExp) =>
    [...text.matchAll(metric)].reduce((sum, [, value]) => sum + Number(value), 0)
  return [/^process_heap_bytes (\d+)/gm, /^mds_cache_bytes\{.*\} (\d+)/gm].map((metric) =>
    (sumOf(metric) / 2 ** 20).toFixed(0),
  )
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
    if (memory.length % 5 !== 0) return
    const [heap, caches] = await ownMemory(url)
    log(
      `${memoryOf(pid, "now").toFixed(0)} MB, of which ${heap} MB are live objects and ${caches} MB caches; ${count} connections`,
    )
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

  const { slowest } = observed
  const one = (value: number) => ({ samples: [value] })
  const settled = lowest(
    memory.filter(([minutes]) => minutes >= warmUpSeconds / 60),
    windowSeconds / 60,
  )
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
      `the slowest of the checked was ${slowest.path}, ${slowest.status}, sent after ${((slowest.sentMs - startedMs) / 1_000).toFixed(1)} s`,
      `lowest memory in MB in each ${windowSeconds} s after the first minute: ${settled.map(([, mb]) => mb.toFixed(0)).join(" ")}; at most ${memoryOf(pid, "peak").toFixed(0)}`,
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
