/**
 * Serves by several processes on one port. This one serves nothing itself: it owns the embedded database,
 * migrates, fetches, writes the log of all, and keeps the workers running.
 */
import { type Config, ConfigError } from "../../config.ts"
import { type Database, openMigrated } from "../database.ts"
import { type RegularFetches, regularFetches } from "../regular-fetches.ts"
import { isText, logFlushMs, openLog } from "../serving-log.ts"
import { logToStderr } from "../terminal.ts"
import { claimPort } from "./port.ts"
import { startWorker } from "./worker-process.ts"
import { createWorkers, type Workers } from "./workers.ts"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What a worker may take to abort responses and close its connections, after `SHUTDOWN_SECONDS`. One that
 * takes longer, such as a frozen one, is killed. A second less than the four after which a container may
 * be killed as a whole, as this process has to write its log then.
 */
export const closeWithinMs = 3_000

export async function serveByWorkers(config: Config, environment: Environment): Promise<void> {
  ensureSupported()
  const { log, buffer } = openLog(config, () => new Date())
  const database = await openMigrated(config)
  database.keepRunning(log)
  const stopWithinMs = config.SHUTDOWN_SECONDS * 1000 + closeWithinMs
  let workers: Workers | undefined
  const close = async (): Promise<void> => {
    await workers?.stop()
    await database.close()
    await buffer.flush(logFlushMs)
  }
  try {
    const port = await claimPort(config.HOST, "PORT", config.PORT)
    for (let id = 1; config.ADMIN_PORT !== 0 && id <= config.WORKERS; id++) {
      await claimPort(config.HOST, "ADMIN_PORT", Number(adminPort(config, id)))
    }
    const shared = { ...environment, ...ofAllWorkers(config, database, port) }
    workers = createWorkers({
      count: config.WORKERS,
      startWorker: (id) =>
        startWorker({
          environment: { ...shared, ADMIN_PORT: adminPort(config, id) },
          onLine: buffer.write,
        }),
      stopWithinMs,
      log,
    })
    const fetches = regularFetches(config, log)
    handleSignals({ workers, fetches, close })
    const url = await workers.start()
    if (url === undefined) return // a signal has stopped them
    fetches?.start()
    logToStderr(`Serving ${url}/api/v1 by ${config.WORKERS} workers`)
  } catch (error) {
    await close()
    throw error
  }
}

/** @throws ConfigError */
export function ensureSupported(platform: string = process.platform): void {
  if (platform === "linux") return
  throw new ConfigError(
    "Cannot use the settings:\nWORKERS requires Linux: elsewhere one of the processes on a port gets all connections",
  )
}

/** Their standard output is a pipe, also where that of this process is a terminal. */
const ofAllWorkers = (config: Config, database: Database, port: number) => ({
  PORT: String(port),
  LOG_FORMAT: isText(config) ? "text" : "json",
  ...(config.DATABASE_URL === null && { DATABASE_URL: database.url }),
})

/** Each worker has its own, so that what is scraped there is of the same one until it is replaced. */
const adminPort = ({ ADMIN_PORT }: Config, id: number): string =>
  String(ADMIN_PORT === 0 ? 0 : ADMIN_PORT + id - 1)

interface Running {
  workers: Workers
  fetches: RegularFetches | null
  close: () => Promise<void>
}

/** A second signal exits without waiting for requests in progress. */
function handleSignals({ workers, fetches, close }: Running): void {
  let stopping = false
  const stop = async (exitCode: number): Promise<void> => {
    if (stopping) {
      workers.kill()
      process.exit(exitCode)
    }
    stopping = true
    logToStderr("Stopping")
    await Promise.all([workers.stop(), fetches?.stop()])
    await close()
    process.exit(0)
  }
  process.on("SIGINT", () => stop(130))
  process.on("SIGTERM", () => stop(143))
  process.on("SIGHUP", () => {
    logToStderr("Replacing the workers")
    workers.replaceAll()
  })
}
