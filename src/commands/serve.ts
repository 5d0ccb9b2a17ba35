import type { Command } from "commander"
import type { Config } from "../config.ts"
import { withConnection } from "../db/connection.ts"
import { DatabaseError } from "../db/first-connection.ts"
import type { LogBuffer } from "../log/log-buffer.ts"
import type { Service, StopOptions } from "../service.ts"
import type { HolderNames } from "../text/holder-names.ts"
import { type Database, openMigrated } from "./database.ts"
import { type RegularFetches, regularFetches } from "./regular-fetches.ts"
import { ignoreOutputErrors, logFlushMs, openLog } from "./serving-log.ts"
import { logToStderr } from "./terminal.ts"
import { startTracing } from "./tracing.ts"

export function addServeCommand(
  program: Command,
  config: () => Config,
  environment: NodeJS.ProcessEnv,
): void {
  program
    .command("serve", { isDefault: true })
    .description("serve the API until stopped")
    .action(async () => {
      ignoreOutputErrors()
      const settings = config()
      // The server's modules are loaded while the database is reached.
      const [database] = await Promise.all([openMigrated(settings), import("../service.ts")])
      const service = await serve(settings, database, environment)
      logToStderr(`Serving ${service.url}/api/v1`)
    })
}

export function addMigrateCommand(program: Command, config: () => Config): void {
  program
    .command("migrate")
    .description(
      "migrate the database to the current schema version, as serve and quickstart also do",
    )
    .action(async () => {
      const database = await openMigrated(config())
      await database.close()
      logToStderr("The database schema is up to date")
    })
}

/** Starts the service on a database, and closes both on Ctrl-C or SIGTERM. */
export async function serve(
  config: Config,
  database: Database,
  environment: NodeJS.ProcessEnv,
): Promise<Service> {
  const now = () => new Date()
  const { log, buffer } = openLog(config, now)
  database.keepRunning(log)
  try {
    await checkHolderNames(config.HOLDER_NAMES, database.url)
    // Only here, so that the other commands start without loading the server.
    const { startService } = await import("../service.ts")
    const fetches = regularFetches(config, log)
    const service = await startService({
      config,
      databaseUrl: config.DATABASE_URL ?? database.url,
      log,
      logBuffer: buffer.readings,
      ...(fetches && { fetches: fetches.counts }),
      now,
    })
    const stopTracing = await startTracing(environment, log)
    stopOnSignal({ service, fetches, database, buffer, stopTracing })
    fetches?.start()
    return service
  } catch (error) {
    await database.close()
    await buffer.flush(logFlushMs)
    throw error
  }
}

/** @throws DatabaseError where responses could name natural persons and must not */
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

interface Running {
  service: Service
  fetches: RegularFetches | null
  database: Database
  buffer: LogBuffer
  stopTracing: () => Promise<void>
}

/**
 * Ctrl-C stops at once, as no load balancer sends it. A second signal exits without waiting for
 * requests in progress.
 */
function stopOnSignal({ service, fetches, database, buffer, stopTracing }: Running): void {
  let stopping = false
  const stop = async (exitCode: number, options?: StopOptions): Promise<void> => {
    if (stopping) process.exit(exitCode)
    stopping = true
    logToStderr("Stopping")
    await Promise.all([service.stop(options), fetches?.stop()])
    await Promise.all([database.close(), stopTracing()])
    await buffer.flush(logFlushMs)
    process.exit(0)
  }
  process.on("SIGINT", () => stop(130, { delaySeconds: 0 }))
  process.on("SIGTERM", () => stop(143))
}
