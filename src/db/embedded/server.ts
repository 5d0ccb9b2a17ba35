/**
 * An embedded PostgreSQL server under a data directory, for users without a server of their own.
 *
 *     <data directory>/cluster       PostgreSQL's data
 *                      password      of the role "mds", mode 600
 *                      postgres.log  the server's log, of this run and earlier ones
 *                      lock          locked while a process starts or adopts the server
 *                      port          of the last start
 *                      lease, users  the processes that use the server: lease.ts
 *
 * Any number of processes may use one data directory. The first starts the server, the others adopt
 * it, and it stops when the last of them has stopped or died. It listens on 127.0.0.1 only, on the
 * port of the last start where that is free, and requires the password. If the server itself dies, a
 * serving process restarts it: restart.ts.
 */
import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { type Binaries, embeddedBinaries } from "./binaries.ts"
import { checkVersion, clusterExists, createCluster, readPassword, role } from "./cluster.ts"
import { environment, launch, serverSettings, whenReady } from "./launch.ts"
import { joinLease, type Lease, markTemporary } from "./lease.ts"
import { withLock } from "./lock.ts"
import { alive, clearPid, type Postmaster, readPostmaster, servesCluster } from "./process.ts"
import { serverUserFor } from "./server-user.ts"
import { until } from "./wait.ts"

export interface EmbeddedServer {
  /** `postgres://…` of the database "mds"; contains the password, so it must not be logged. */
  url: string
  /** True when the server was already running for another process of this service. */
  adopted: boolean
  /** True once it or its supervisor no longer runs, for whatever reason. */
  ended(): boolean
  /**
   * Releases the server. It stops when no other process uses it, and then this resolves once it has
   * stopped. Close the clients first: a stopping server ends their connections.
   */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** Settings over those in `launch.ts`. An adopted server keeps what it runs with. */
  settings?: Record<string, string>
  /**
   * For restarting a server that clients still use: it must listen on this port, and its data must
   * exist. Without it any port is used, and the cluster is created where it is missing.
   */
  port?: number
  /** Receives a line about each step that takes time. */
  log?: (line: string) => void
  /** The data directory is deleted once the server has stopped, even after a kill. For tests. */
  temporary?: boolean
}

/** The embedded PostgreSQL does not start. The message says why. */
export class EmbeddedError extends Error {
  override readonly name = "EmbeddedError"
}

const stopLimitMs = 70_000

/**
 * Starts the server of `dataDir`, or adopts it when it is already running, and creates the directory,
 * the cluster and the database "mds" where they are missing.
 *
 * @throws {EmbeddedError} "Cannot use the embedded PostgreSQL in …" with the reason, or with the
 *   last lines of the server's log.
 */
export async function startEmbedded(
  dataDir: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedServer> {
  try {
    // First of all, as without it nothing else helps.
    const binaries = embeddedBinaries()
    // PostgreSQL's own user must be able to traverse it; its contents are closed to others.
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    const dir = realpathSync(dataDir)
    return await withLock(
      join(dir, "lock"),
      async () => (await adopt(dir, options)) ?? (await start(dir, binaries, options)),
    )
  } catch (error) {
    if (options.temporary) rmSync(dataDir, { recursive: true, force: true })
    const reason = error instanceof Error ? error.message : String(error)
    throw new EmbeddedError(`Cannot use the embedded PostgreSQL in ${dataDir}: ${reason}`, {
      cause: error,
    })
  }
}

async function adopt(dir: string, { port }: EmbeddedOptions): Promise<EmbeddedServer | undefined> {
  const lease = await joinLease(dir)
  if (!lease) return undefined
  const running = await whenReady(dir)
  if (running && (port === undefined || port === running.port)) {
    return serverOf(dir, running, lease, true)
  }
  lease.release()
  if (!running) return undefined
  throw new Error(
    `another process has started it on port ${running.port}, because port ${port} was taken; ` +
      "end that process, or start this one again",
  )
}

async function start(
  dir: string,
  binaries: Binaries,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const cluster = join(dir, "cluster")
  const settings: Record<string, string> = { ...serverSettings, ...options.settings }
  const user = serverUserFor(cluster, binaries)
  if (clusterExists(cluster)) checkVersion(cluster, binaries)
  await endUnsupervised(cluster)
  if (!clusterExists(cluster)) {
    if (options.port !== undefined) throw new Error(`there is no ${cluster} any more`)
    options.log?.(`Creating a PostgreSQL cluster in ${dir}`)
    await createCluster(dir, binaries, user, environment(), settings.fsync !== "off")
  }
  options.log?.("Starting PostgreSQL")
  // `servesCluster` recognizes the server by these three arguments.
  const command = [...user.prefix, binaries.postgres, "-D", cluster]
  const { lease, running } = await launch(dir, command, settings, options.port)
  if (options.temporary) markTemporary(dir)
  const server = serverOf(dir, running, lease, false)
  try {
    await ensureDatabase(server.url)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/**
 * A server without a supervisor is about to stop, or has lost its supervisor; either way it must stop
 * before another starts on its data. A stale pid that belongs to another program is cleared.
 */
async function endUnsupervised(cluster: string): Promise<void> {
  const pid = readPostmaster(cluster)?.pid
  if (pid === undefined) return
  if (!servesCluster(pid, cluster)) return clearPid(cluster)
  process.kill(pid, "SIGINT")
  if (await until(() => !servesCluster(pid, cluster), stopLimitMs)) return
  throw new Error(`process ${pid} still runs on ${cluster} and does not stop`)
}

function serverOf(dir: string, running: Postmaster, lease: Lease, adopted: boolean) {
  const cluster = join(dir, "cluster")
  const temporary = existsSync(join(dir, "temporary"))
  const url = `postgres://${role}:${readPassword(dir)}@127.0.0.1:${running.port}/${role}`
  const hasStopped = () => !servesCluster(running.pid, cluster) && !(temporary && existsSync(dir))
  let stopped: Promise<void> | undefined
  const stop = async () => {
    // Without its supervisor nothing stops it until the next start.
    const supervised = lease.isSupervised()
    if (lease.release() && supervised) await until(hasStopped, stopLimitMs)
  }
  return {
    url,
    adopted,
    // Both, because the supervisor's two shells can die independently.
    ended: () => !lease.isSupervised() || !alive(running.pid),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const sql = postgres(url, {
    database: "postgres",
    max: 1,
    connect_timeout: 5,
    fetch_types: false,
  })
  try {
    const found = await sql`select 1 from pg_database where datname = ${role}`
    if (found.length === 0) await sql`create database ${sql(role)}`
  } finally {
    await sql.end({ timeout: 1 })
  }
}
