/** Opens the database that a command works on. */
import { hostname } from "node:os"
import type { Editor } from "../access/change.ts"
import type { Config } from "../config.ts"
import { keepRunning } from "../db/embedded/restart.ts"
import { startEmbedded } from "../db/embedded/server.ts"
import { checkSchema, migrate } from "../db/migrate.ts"
import { createPool, type Pool } from "../db/pool/pool.ts"
import { describeError, type Log } from "../log/log.ts"
import { logToStderr } from "./terminal.ts"

export interface Database {
  /** Past a connection pooler. Holds a password: not for logs. */
  url: string
  /** Restarts an embedded server whenever it exits, until this is closed. */
  keepRunning(log: Log): void
  close(): Promise<void>
}

/** Opens the database of the settings and migrates it to this program's schema. @throws DatabaseError */
export const openMigrated = (config: Config): Promise<Database> => open(config, migrate)

/**
 * Opens the database of the settings, or the embedded one, which is started if it is not running.
 * @throws DatabaseError where it cannot be reached or is not as it has to be
 */
async function open(config: Config, prepare: (url: string) => Promise<void>): Promise<Database> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = config
  const database = DATABASE_URL
    ? serverAt(DATABASE_DIRECT_URL ?? DATABASE_URL)
    : await openEmbedded(config.DATA_DIR)
  try {
    await prepare(database.url)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

const serverAt = (url: string): Database => ({
  url,
  keepRunning: () => {},
  close: async () => {},
})

async function openEmbedded(dataDir: string): Promise<Database> {
  const server = await startEmbedded(dataDir, { log: logToStderr })
  let stop = server.stop
  return {
    url: server.url,
    keepRunning: (log) => {
      stop = keepRunning(dataDir, server, {
        onEnded: () => log.error("embedded PostgreSQL ended; starting it again"),
        onRunning: () => log.info("embedded PostgreSQL is running again"),
        onFailed: (error, pauseMs) =>
          log.error("embedded PostgreSQL did not start; retrying", {
            after_seconds: pauseMs / 1000,
            ...describeError(error),
          }),
      })
    },
    close: () => stop(),
  }
}

/** Runs `work` on the database of the settings, whose schema must be up to date, and always closes it. */
export async function withDatabase<T>(
  config: Config,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await open(config, checkSchema)
  try {
    return await work(database)
  } finally {
    // A server that cannot be closed does not undo what the command has done.
    await database
      .close()
      .catch((error: unknown) => logToStderr(`Cannot close the database: ${error}`))
  }
}

export const withPool = <T>(config: Config, work: (pool: Pool) => Promise<T>): Promise<T> =>
  withDatabase(config, (database) => usePool(database, work))

/** Runs `work` on the database of the settings, with its changes audited as this operator's. */
export const withEditor = <T>(config: Config, work: (editor: Editor) => Promise<T>): Promise<T> =>
  withDatabase(config, (database) => work(editorOf(config, database)))

/** The operator at this machine's command line, for the audit. */
export const editorOf = (config: Config, { url }: Database): Editor => ({
  url,
  who: config.ACTOR || systemUser(),
  origin: `command line on ${hostname()}`,
})

/** Runs `work` with a pool on an open database, and always closes the pool. */
export async function usePool<T>({ url }: Database, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, {
    name: "command",
    connections: 2,
    statementTimeoutMs: 60_000,
  })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

/** From `id`: Bun's `userInfo` returns what the environment says, or "unknown". */
function systemUser(): string {
  const id = Bun.which("id")
  const name = id ? Bun.spawnSync([id, "-un"]).stdout.toString().trim() : ""
  return name || `uid ${process.getuid?.()}`
}
