import type { Command } from "commander"
import type { Config } from "../config.ts"
import { createLog, type Log } from "../log/log.ts"
import { createLogBuffer, type LogBuffer } from "../log/log-buffer.ts"
import type { Service } from "../service.ts"
import { type Database, openMigrated } from "./database.ts"
import { createRegularFetches, type RegularFetches } from "./regular-fetches.ts"
import { ignoreOutputErrors, writeToStandardOutput } from "./standard-streams.ts"
import { logToStderr } from "./terminal.ts"

/** How long the process waits at its end for the log to be written. */
const logFlushMs = 500

export function addServeCommand(program: Command, config: () => Config): void {
  program
    .command("serve", { isDefault: true })
    .description("serve the API until stopped")
    .action(async () => {
      ignoreOutputErrors()
      const settings = config()
      // The server's modules are loaded while the database is reached.
      const [database] = await Promise.all([openMigrated(settings), import("../service.ts")])
      const service = await serve(settings, database)
      logToStderr(`Serving ${service.url}/api/v1`)
    })
}

/** Starts the service on a database, and closes both on Ctrl-C or SIGTERM. */
export async function serve(config: Config, database: Database): Promise<Service> {
  const now = () => new Date()
  const buffer = createLogBuffer({
    write: writeToStandardOutput,
    onDropped: (lines) => log.warn("log lines dropped", { lines }),
  })
  const log = createLog(buffer.write, now)
  database.keepRunning(log)
  try {
    // Only here, so that the other commands start without loading the server.
    const { startService } = await import("../service.ts")
    const fetches = regularFetches(config, log)
    const service = await startService({
      config,
      databaseUrl: database.url,
      log,
      logBuffer: buffer.readings,
      ...(fetches && { fetches: fetches.counts }),
      now,
    })
    stopOnSignal({ service, fetches, database, buffer })
    fetches?.start()
    return service
  } catch (error) {
    await database.close()
    await buffer.flush(logFlushMs)
    throw error
  }
}

const regularFetches = ({ FETCH_EVERY, SHUTDOWN_SECONDS }: Config, log: Log) =>
  FETCH_EVERY === 0
    ? null
    : createRegularFetches({
        everyHours: FETCH_EVERY,
        log,
        stopWithinMs: SHUTDOWN_SECONDS * 1000,
      })

interface Running {
  service: Service
  fetches: RegularFetches | null
  database: Database
  buffer: LogBuffer
}

/** A second signal exits without waiting for requests in progress. */
function stopOnSignal({ service, fetches, database, buffer }: Running): void {
  let stopping = false
  const stop = async (exitCode: number): Promise<void> => {
    if (stopping) process.exit(exitCode)
    stopping = true
    logToStderr("Stopping")
    await Promise.all([service.stop(), fetches?.stop()])
    await database.close()
    await buffer.flush(logFlushMs)
    process.exit(0)
  }
  process.on("SIGINT", () => stop(130))
  process.on("SIGTERM", () => stop(143))
}
