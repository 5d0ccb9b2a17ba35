import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { settleWithin } from "../../text/settle-within.ts"
import { serverEnvironment } from "./cluster.ts"
import { type Postmaster, runningServer } from "./postmaster.ts"

// Sized for a small machine that also runs the service. There is no replica that needs WAL, and
// with `minimal` a load into a table created in the same transaction skips the WAL.
const serverSettings = {
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

/**
 * Runs the server, and stops it when standard input ends: when this process closes the pipe, and
 * however it ends. The shell is in a session of its own, so that a Ctrl-C in the terminal does not
 * reach the server before the service has drained.
 */
const supervisor = `
trap '' HUP INT TERM
exec 3<&0
"$@" 3<&- </dev/null & server=$!
{ read -r _; kill -INT "$server"; } <&3 &
wait "$server"
kill -KILL $!
`

const startLimitMs = 300_000
const stopLimitMs = 60_000
const portAttempts = 5
const logLimitBytes = 10_000_000

/** A server that stops with this process at the latest. */
export interface OwnServer extends Postmaster {
  /** Resolves once it has stopped. */
  stop(): Promise<void>
}

interface LaunchOptions {
  /** The server's command, with `-D` and its cluster. */
  command: string[]
  settings: Record<string, string>
  /** The only port to try. Without it, that of the last start if it is free, or else another one. */
  port?: number
}

/**
 * Starts the server of `dir` and waits until it accepts connections.
 * @throws with the last lines of the server's log when it exits instead
 */
export async function launch(dir: string, options: LaunchOptions): Promise<OwnServer> {
  let port = options.port ?? lastPort(dir) ?? freePort()
  for (let attempt = 1; ; attempt++) {
    const started = await launchOn(port, dir, options)
    if (typeof started !== "string") return started
    const isTaken = started.includes("could not bind")
    if (!isTaken || options.port !== undefined || attempt === portAttempts) {
      const lines = started.trim().split("\n").slice(-10).join("\n")
      throw new Error(lines || "it exited without a log message")
    }
    port = freePort()
  }
}

/** The server, or its log if it exits. */
async function launchOn(port: number, dir: string, { command, settings }: LaunchOptions) {
  const flags = Object.entries({
    ...serverSettings,
    ...settings,
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const path = join(dir, "postgres.log")
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes) {
    renameSync(path, `${path}.1`)
  }
  const log = openSync(path, "a", 0o600)
  const { size } = statSync(path)
  const shell = Bun.spawn(["/bin/sh", "-c", supervisor, "mds-postgres", ...command, ...flags], {
    cwd: "/",
    env: serverEnvironment(),
    detached: true,
    stdin: "pipe",
    stdout: log,
    stderr: log,
  })
  shell.unref()
  closeSync(log)
  const stop = async (): Promise<void> => {
    shell.stdin.end()
    await settleWithin(stopLimitMs, shell.exited, () => new Error("PostgreSQL does not stop"))
  }
  const deadline = performance.now() + startLimitMs
  while (shell.exitCode === null) {
    const running = runningServer(join(dir, "cluster"))
    if (running?.isReady) return { ...running, stop }
    if (performance.now() > deadline) {
      await stop()
      throw new Error("it is still not ready after five minutes")
    }
    await Bun.sleep(10)
  }
  return readFileSync(path).subarray(size).toString()
}

/** PostgreSQL keeps the command line of its last start. */
function lastPort(dir: string): number | undefined {
  const file = join(dir, "cluster", "postmaster.opts")
  const [, port] = (existsSync(file) && /"port=(\d+)"/.exec(readFileSync(file, "utf8"))) || []
  return port === undefined ? undefined : Number(port)
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
