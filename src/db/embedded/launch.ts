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

// Sized for a small machine that also runs the service. There is no replica that needs WAL, and
// with `minimal` a load into a table created in the same transaction skips the WAL.
export const serverSettings: Record<string, string> = {
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
  // A failed statement may contain what a client sent.
  log_min_error_statement: "panic",
}

const startLimitMs = 300_000
const portAttempts = 5
const logLimitBytes = 10_000_000

/**
 * Starts the server under a supervisor and waits until it accepts connections: on the port of the last
 * start, so that processes that use it reconnect, or on another where that one is taken.
 *
 * @param fixedPort is the only one to try
 * @throws with the last lines of the server's log when it exits instead.
 */
export async function launch(
  dir: string,
  command: string[],
  settings: Record<string, string>,
  fixedPort?: number,
): Promise<{ lease: Lease; running: Postmaster }> {
  const newLog = openLog(join(dir, "postgres.log"))
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
    if (fixedPort === undefined && attempt < portAttempts && newLog().includes("could not bind")) {
      port = freePort()
      continue
    }
    throw new Error(
      newLog().trim().split("\n").slice(-10).join("\n") || "it exited without a log message",
    )
  }
}

function lastPort(dir: string): number | undefined {
  const file = join(dir, "port")
  const port = existsSync(file) && Number.parseInt(readFileSync(file, "utf8"), 10)
  return port || undefined
}

/** The supervised server of `dir` once it accepts connections; `undefined` when it exits instead. */
export async function whenReady(dir: string): Promise<Postmaster | undefined> {
  const pid = supervisedPid(dir)
  const outcome = await until(() => {
    const running = readPostmaster(join(dir, "cluster"))
    // The file may be that of an older server until the new one writes its own.
    if (running?.pid === pid && running?.status === "ready") return running
    return (pid === undefined || !alive(pid)) && "exited"
  }, startLimitMs)
  if (!outcome) throw new Error("it is still not ready after five minutes")
  return outcome === "exited" ? undefined : outcome
}

/** Returns a function that reads what the server has added to its log since. */
function openLog(path: string): () => string {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes) {
    renameSync(path, `${path}.1`)
  }
  closeSync(openSync(path, "a", 0o600))
  const { size } = statSync(path)
  return () => readFileSync(path).subarray(size).toString()
}

/**
 * A free port below the ephemeral port range of Linux and macOS. An outgoing connection could otherwise
 * take the port while the server is down, and a client that reconnects could even connect to itself.
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

/** Excludes the PG* variables of the shell, which would reach the server, and the locale, which would change its log. */
export function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" }
}
