/** A PostgreSQL server of a test's own, which the test may freeze, kill and start again. */
import { readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import postgres from "postgres"
import { embeddedBinaries } from "../../src/system/embedded/binaries.ts"
import { serverUserFor } from "../../src/system/embedded/server-user.ts"
import { embeddedDirectory, runDirectory } from "./postgres.ts"
import { responds } from "./responds.ts"
import { childrenOf, freePort, isRunning, type Supervised, startSupervised } from "./supervised.ts"
import { until } from "./until.ts"

export interface OwnServerOptions {
  settings?: Record<string, string>
  /** The primary that it follows, which must have been made since the run began. */
  standbyOf?: { url: string }
  /** Where its data directory is made. */
  parent?: string
}

export type OwnServer = Awaited<ReturnType<typeof ownServer>>

const settingsOfAll = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "32MB",
  autovacuum: "off",
  max_connections: "150",
  wal_level: "replica",
  wal_keep_size: "1GB",
  wal_retrieve_retry_interval: "100ms",
}

/**
 * Starts one with an empty database, or as a standby, and waits until it responds. Call its `stop` in the
 * end. All are copies of one new cluster, so a standby can begin where its primary began.
 */
export async function ownServer({
  settings = {},
  standbyOf,
  parent = runDirectory,
}: OwnServerOptions = {}) {
  const directory = await embeddedDirectory(join(parent, `own-${crypto.randomUUID()}`))
  const cluster = join(directory, "cluster")
  const port = freePort()
  const password = readFileSync(join(directory, "password"), "utf8").trim()
  const url = `postgres://mds:${password}@127.0.0.1:${port}/postgres`
  let server: Supervised | undefined
  if (standbyOf) await Bun.write(join(cluster, "standby.signal"), "")
  const following = standbyOf && { primary_conninfo: connectionInfo(standbyOf.url) }

  async function start(): Promise<void> {
    const binaries = embeddedBinaries()
    const { prefix } = serverUserFor(cluster, binaries)
    const options = Object.entries({
      ...settingsOfAll,
      ...settings,
      ...following,
      port: String(port),
    })
    const command = [...prefix, binaries.postgres, "-D", cluster].concat(
      options.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    )
    // What is left of one that was killed may hold its memory for a moment.
    await until(async () => {
      server = await startSupervised("postgres", command)
      const { pid } = server
      while (isRunning(pid)) {
        if (await responds(url, 1)) return true
        await Bun.sleep(20)
      }
      return false
    })
  }

  /** The server and the processes of its sessions. */
  function signal(name: NodeJS.Signals): void {
    if (!server) return
    for (const pid of [server.pid, ...childrenOf(server.pid)]) {
      if (isRunning(pid)) process.kill(pid, name)
    }
  }

  async function kill(): Promise<void> {
    const ended = server
    if (!ended) return
    // A process that is stopped would outlive the server.
    signal("SIGCONT")
    server = undefined
    await ended.end()
  }

  /** As by `pg_ctl stop`: sessions end, then the server. */
  async function shutDown(): Promise<void> {
    const pid = server?.pid
    if (pid === undefined) return
    process.kill(pid, "SIGINT")
    await until(() => !isRunning(pid))
    await kill()
  }

  async function run<T extends object>(statement: string, database?: string): Promise<T[]> {
    const sql = postgres(url, {
      ...(database !== undefined && { database }),
      max: 1,
      fetch_types: false,
      onnotice: () => {},
    })
    try {
      return [...(await sql.unsafe<T[]>(statement))]
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  await start()
  return {
    url,
    /** No process of it runs until `thaw`. */
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    /** As by kill -9. */
    kill,
    shutDown,
    start,
    /** Makes a standby a primary. */
    promote: () => run("select pg_promote()"),
    /** Runs a statement, in the database of the URL unless another is named. */
    run,
    /** Ends it for good. */
    stop: async () => {
      await kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function connectionInfo(url: string): string {
  const { hostname, port, username, password } = new URL(url)
  return `host=${hostname} port=${port} user=${username} password=${password}`
}
