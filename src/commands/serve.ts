import { write } from "node:fs"
import type { Config } from "../config.ts"
import { withConnection } from "../data/db/connection.ts"
import { DatabaseError } from "../data/db/first-connection.ts"
import type { HolderNames } from "../data/resources/holder-names.ts"
import { version } from "../program.ts"
import { createLog, jsonLine, type Log } from "../system/log/log.ts"
import { createLogBuffer, type LogBuffer, type WriteSome } from "../system/log/log-buffer.ts"
import { textLine } from "../system/log/text-line.ts"
import type { Service, StopOptions } from "../system/service.ts"
import { command } from "./command.ts"
import { type CommandDatabase, openMigrated } from "./database.ts"
import { regularFetches } from "./regular-fetches.ts"
import { recordAddress } from "./served-address.ts"
import { logToStderr } from "./terminal.ts"

/** How long the process waits at its end for the log to be written. */
const logFlushMs = 500

export const serveCommand = command({
  help: "serve the API until stopped",
  run: async (_, { config }) => {
    // The server's modules are loaded while the command connects to the database.
    const [database] = await Promise.all([openMigrated(config), import("../system/service.ts")])
    const service = await serve(config, database)
    logToStderr(`Serving ${service.url}/api/v1`)
  },
})

/** Starts the service on a database, and closes both on Ctrl-C or SIGTERM. */
export async function serve(config: Config, database: CommandDatabase): Promise<Service> {
  const now = () => new Date()
  const { log, buffer } = openLog(config, now)
  log.info("starting", { "service.version": version })
  database.keepRunning(log)
  try {
    await checkHolderNames(config.HOLDER_NAMES, database.url)
    // Imported here, so that the other commands start without loading the server.
    const { startService } = await import("../system/service.ts")
    const fetches = regularFetches(config, log)
    const service = await startService({
      config,
      databaseUrl: config.DATABASE_URL ?? database.url,
      log,
      logBuffer: buffer.readings,
      ...(fetches && { fetches: fetches.counts }),
      now,
    })
    const removeAddress = recordAddress(config, service.url)
    stopOnSignal(async (options) => {
      removeAddress()
      await Promise.all([service.stop(options), fetches?.stop()])
      await database.close()
      await buffer.flush(logFlushMs)
    })
    fetches?.start()
    return service
  } catch (error) {
    await database.close()
    await buffer.flush(logFlushMs)
    throw error
  }
}

/** The log of the process, on its standard output. */
function openLog(config: Config, now: () => Date): { log: Log; buffer: LogBuffer } {
  const buffer = createLogBuffer({
    write: writeToStandardOutput,
    onDropped: (lines) => log.warn("log lines dropped", { lines }),
  })
  const isText =
    config.LOG_FORMAT === "text" || (config.LOG_FORMAT === "auto" && process.stdout.isTTY)
  const format = isText ? textLine({ colours: process.stdout.isTTY && !config.NO_COLOR }) : jsonLine
  const log = createLog(buffer.write, now, { level: config.LOG_LEVEL, format })
  return { log, buffer }
}

/** Bypasses `process.stdout`, which buffers without bound. */
const writeToStandardOutput: WriteSome = (bytes) =>
  new Promise((resolve, reject) => {
    write(process.stdout.fd, bytes, (error, written) => {
      if (error) reject(error)
      else resolve(written)
    })
  })

/** @throws DatabaseError where HOLDER_NAMES forbids names that readable releases have */
export async function checkHolderNames(holderNames: HolderNames, url: string): Promise<void> {
  if (holderNames === "all") return
  const [named] = await withConnection(url, (sql) =>
    sql.unsafe(
      `select id from releases
       where not is_pruned and manifest->>'holder_names' is distinct from 'companies'
       order by id desc limit 1`,
    ),
  )
  if (!named) return
  throw new DatabaseError(
    `Cannot serve with HOLDER_NAMES=companies: release ${named.id} was loaded with all names. ` +
      "Load every source of tenements again with HOLDER_NAMES=companies and, a day later, prune the older releases " +
      "(`mds releases prune --keep-days 1`); or load into an empty database",
  )
}

/** Ctrl-C stops without delay, since no load balancer sends it. A second signal exits at once. */
function stopOnSignal(stopAll: (options?: StopOptions) => Promise<void>): void {
  let stopping = false
  const stop = async (exitCode: number, options?: StopOptions): Promise<void> => {
    if (stopping) process.exit(exitCode)
    stopping = true
    logToStderr("Stopping")
    await stopAll(options)
    process.exit(0)
  }
  process.on("SIGINT", () => stop(130, { delaySeconds: 0 }))
  process.on("SIGTERM", () => stop(143))
}
