import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { createLease, type Lease, supervisedPid } from "./lease.ts"
import { alive, type Postmaster, readPostmaster } from "./process.ts"
import { until } from "./wait.ts"

// Sized for a small machine that also runs the service. There is no replica to write WAL for, and
// `minimal` lets a load fill a table it has just made without writing everything twice.
export const SETTINGS: Record<string, string> = {
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  wal_level: "minimal",
  max_wal_senders: "0",
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  // A failed statement may hold what a caller sent.
  log_min_error_statement: "panic",
}

const START_LIMIT_MS = 300_000
const PORT_ATTEMPTS = 5
const LOG_LIMIT_BYTES = 10_000_000

/**
 * Starts the server under a supervisor and waits until it takes connections: on the port of the last
 * start, so that processes that still know that one reach it, or on another where that is taken.
 *
 * @param fixedPort is the only one to try
 * @throws with the last lines of the server's log when it ends instead.
 */
export async function launch(
  dir: string,
  command: string[],
  settings: Record<string, string>,
  fixedPort?: number,
): Promise<{ lease: Lease; running: Postmaster }> {
  const said = openLog(join(dir, "postgres.log"))
  let port = fixedPort ?? lastPort(dir) ?? freePort()
  for (let attempt = 1; ; attempt++) {
    const listen = {
      listen_addresses: "127.0.0.1",
      port: String(port),
      unix_socket_directories: "",
    }
    const flags = Object.entries({ ...settings, ...listen }).flatMap(([k, v]) => [
      "-c",
      `${k}=${v}`,
    ])
    const lease = await createLease(dir, [...command, ...flags], environment())
    const running = lease && (await whenReady(dir))
    if (running) {
      writeFileSync(join(dir, "port"), `${port}\n`)
      return { lease, running }
    }
    lease?.release()
    if (fixedPort === undefined && attempt < PORT_ATTEMPTS && said().includes("could not bind")) {
      port = freePort()
      continue
    }
    throw new Error(said().trim().split("\n").slice(-10).join("\n") || "it ended without a word")
  }
}

function lastPort(dir: string): number | undefined {
  const file = join(dir, "port")
  const port = existsSync(file) && Number.parseInt(readFileSync(file, "utf8"), 10)
  return port || undefined
}

/** The supervised server of `dir` once it takes connections; `undefined` when it ends instead. */
export async function whenReady(dir: string): Promise<Postmaster | undefined> {
  const pid = supervisedPid(dir)
  const outcome = await until(() => {
    const running = readPostmaster(join(dir, "cluster"))
    // Until the new server writes its own, an older one's file may lie there.
    if (running?.pid === pid && running?.status === "ready") return running
    return (pid === undefined || !alive(pid)) && "ended"
  }, START_LIMIT_MS)
  if (!outcome) throw new Error("it is still not ready after five minutes")
  return outcome === "ended" ? undefined : outcome
}

/** What the server adds to its log from now on. */
function openLog(path: string): () => string {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) {
    renameSync(path, `${path}.1`)
  }
  closeSync(openSync(path, "a", 0o600))
  const { size } = statSync(path)
  return () => readFileSync(path).subarray(size).toString()
}

/**
 * A port that is free at this moment, below the range from which Linux and macOS take the ports of
 * outgoing connections: one of those would take it while the server is down, and a client that tries
 * to reach the server could even reach itself.
 */
function freePort(): number {
  for (let attempt = 1; ; attempt++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true)
      return port
    } catch (error) {
      if (attempt === 100) throw error
    }
  }
}

/** PG* variables of the person's shell would reach the server; a locale would change its log. */
export function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" }
}
