/**
 * An embedded PostgreSQL server under a data directory, for users without a server of their own.
 *
 *     <data directory>/cluster       PostgreSQL's data
 *                      password      of the role "mds", mode 600
 *                      postgres.log  the server's log, of this run and earlier ones
 *                      lock          locked by the process that owns the server
 *
 * Several processes may use one data directory. The first one takes the lock, starts the server and owns it:
 * the server stops with its owner. The others adopt it and lose their connections when it stops; a serving
 * process then restarts it on the same port. It listens on 127.0.0.1 only and requires the password.
 */
import { mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { type Binaries, embeddedBinaries } from "./binaries.ts"
import { createCluster, hasCluster, readPassword, role } from "./cluster.ts"
import { launch } from "./launch.ts"
import { tryLock } from "./lock.ts"
import { clearStalePid, isAlive, type Postmaster, runningServer } from "./postmaster.ts"
import { serverUserFor } from "./server-user.ts"

export interface EmbeddedServer {
  /** `postgres://…`; contains the password, so it must not be logged. */
  url: string
  /** Whether another process owns the server. */
  adopted: boolean
  /** Whether the server has ended. */
  hasEnded(): boolean
  /**
   * Stops the server, if this process owns it, and resolves once it has stopped. Close the clients
   * first: a stopping server ends their connections.
   */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** PostgreSQL's settings, over the program's own. An adopted server keeps its settings. */
  settings?: Record<string, string>
  /**
   * The port of a restarted server, whose data must exist. Without it, the server may use any port, and a
   * missing cluster is created.
   */
  port?: number
  /** Receives a line about each step that takes time. */
  log?: (line: string) => void
}

/** The embedded PostgreSQL does not start. The message says why. */
export class EmbeddedError extends Error {
  override readonly name = "EmbeddedError"
}

const stopLimitMs = 60_000

/**
 * Starts the server of `dataDir`, or adopts a running one, and creates a missing directory and cluster.
 *
 * @throws {EmbeddedError} "Cannot use the embedded PostgreSQL in …" with the reason, or with the
 *   last lines of the server's log.
 */
export async function startEmbedded(
  dataDir: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedServer> {
  try {
    const binaries = embeddedBinaries()
    // PostgreSQL's user must be able to traverse it; its contents are closed to others.
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    return await ownOrAdopt(realpathSync(dataDir), binaries, options)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new EmbeddedError(`Cannot use the embedded PostgreSQL in ${dataDir}: ${reason}`, {
      cause: error,
    })
  }
}

async function ownOrAdopt(
  dir: string,
  binaries: Binaries,
  options: EmbeddedOptions,
): Promise<EmbeddedServer> {
  for (;;) {
    const release = tryLock(join(dir, "lock"))
    if (release) return start(dir, binaries, options, release)
    // Waits until its owner has started it, which a recovery may delay, or has failed.
    const running = runningServer(join(dir, "cluster"))
    if (running?.isReady) return adopt(dir, running, options)
    await Bun.sleep(25)
  }
}

function adopt(dir: string, running: Postmaster, { port }: EmbeddedOptions): EmbeddedServer {
  if (port !== undefined && port !== running.port) {
    throw new Error(
      `another process has started it on port ${running.port}, because port ${port} was taken; ` +
        "end that process, or start this one again",
    )
  }
  return { ...serverOf(dir, running), adopted: true, stop: async () => {} }
}

/** @param release releases the lock, once the server has stopped */
async function start(
  dir: string,
  binaries: Binaries,
  { port, settings = {}, log }: EmbeddedOptions,
  release: () => void,
): Promise<EmbeddedServer> {
  const cluster = join(dir, "cluster")
  try {
    const user = serverUserFor(cluster, binaries)
    if (hasCluster(dir)) {
      await endOrphan(cluster)
      clearStalePid(cluster)
    } else {
      if (port !== undefined) throw new Error(`there is no ${cluster} any more`)
      log?.(`Creating a PostgreSQL cluster in ${dir}`)
      await createCluster(dir, binaries, user, settings.fsync !== "off")
    }
    log?.("Starting PostgreSQL")
    const command = [...user.prefix, binaries.postgres, "-D", cluster]
    const server = await launch(dir, command, settings, port)
    const stop = () => server.stop().finally(release)
    return { ...serverOf(dir, server), adopted: false, stop }
  } catch (error) {
    release()
    throw error
  }
}

/** Stops a server after its owner has ended. The shell that would stop it may have been killed too. */
async function endOrphan(cluster: string): Promise<void> {
  const orphan = runningServer(cluster)
  if (!orphan) return
  process.kill(orphan.pid, "SIGINT")
  const deadline = performance.now() + stopLimitMs
  while (runningServer(cluster)?.pid === orphan.pid) {
    if (performance.now() > deadline) {
      throw new Error(`process ${orphan.pid} still runs on ${cluster} and does not stop`)
    }
    await Bun.sleep(10)
  }
}

const serverOf = (dir: string, { pid, port }: Postmaster) => ({
  url: `postgres://${role}:${readPassword(dir)}@127.0.0.1:${port}/postgres`,
  hasEnded: () => !isAlive(pid),
})
