import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { settleWithin } from "../text/settle-within.ts"
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
 * Runs the server, and stops it when standard input ends: when this process closes the pipe or ends. The shell
 * has a session of its own, so that Ctrl-C in the terminal does not stop the server before the service has
 * drained.
 */
const supervisor = `
trap '' HUP INT TERM
exec 3<&0
"$@" 3<&- </dev/null & server=$!
{ read -r _; kill -INT "$server"; } <&3 &
wait "$server"
kill -KILL $!
`

const stopLimitMs = 60_000
const portAttempts = 5
const logLimitBytes = 10_000_000

/** A server that stops with this process at the latest. */
export interface OwnServer extends Postmaster {
  /** Resolves once it has stopped. */
  stop(): Promise<void>
}

/**
 * Starts the server of `dir` and waits until it accepts connections. It uses the port of the last start, so
 * that clients reconnect, or another if that is taken.
 *
 * @param command has `-D` and the cluster
 * @param fixedPort is the only port to try
 * @throws Error with the last lines of the server's log if it exits
 */
export async function launch(
  dir: string,
  command: string[],
  settings: Record<string, string>,
  fixedPort?: number,
): Promise<OwnServer> {
  let port = fixedPort ?? lastPort(dir) ?? newPort()
  for (let attempt = 1; ; attempt++) {
    const listen = { listen_addresses: "127.0.0.1", port: `${port}`, unix_socket_directories: "" }
    const flags = Object.entries({ ...serverSettings, ...settings, ...listen }).flatMap(
      ([name, value]) => ["-c", `${name}=${value}`],
    )
    const started = await superviseServer(dir, [...command, ...flags])
    if (typeof started !== "string") return started
    const isTaken = started.includes("could not bind")
    if (!isTaken || fixedPort !== undefined || attempt === portAttempts) {
      const lines = started.trim().split("\n").slice(-10).join("\n")
      throw new Error(lines || "it exited without a log message")
    }
    port = newPort()
  }
}

/** @returns the server once it is ready, or its log if it exits */
async function superviseServer(dir: string, command: string[]): Promise<OwnServer | string> {
  const path = join(dir, "postgres.log")
  if (existsSync(path) && statSync(path).size > logLimitBytes) renameSync(path, `${path}.1`)
  const log = openSync(path, "a", 0o600)
  const { size } = statSync(path)
  const shell = Bun.spawn(["/bin/sh", "-c", supervisor, "mds-postgres", ...command], {
    cwd: "/",
    env: serverEnvironment(),
    detached: true,
    stdio: ["pipe", log, log],
  })
  closeSync(log)
  shell.unref()
  const stop = async (): Promise<void> => {
    shell.stdin.end()
    await settleWithin(stopLimitMs, shell.exited, () => new Error("PostgreSQL does not stop"))
  }
  // A recovery may take its time.
  while (shell.exitCode === null) {
    const running = runningServer(join(dir, "cluster"))
    if (running?.isReady) return { ...running, stop }
    await Bun.sleep(10)
  }
  return readFileSync(path).subarray(size).toString()
}

/** Reads the port from the command line of the last start, which PostgreSQL stores. */
function lastPort(dir: string): number | undefined {
  const file = join(dir, "cluster", "postmaster.opts")
  const [, port] = (existsSync(file) && /"port=(\d+)"/.exec(readFileSync(file, "utf8"))) || []
  return port === undefined ? undefined : Number(port)
}

/**
 * Chooses a port below the ephemeral range of Linux and macOS. Otherwise an outgoing connection could take it
 * while the server is down, and a reconnecting client could even connect to itself.
 */
const newPort = (): number => 10_000 + Math.floor(Math.random() * 20_000)
