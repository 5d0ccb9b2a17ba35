/** Opens the database that a command works on. */
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import type { Changed, Editor } from "../accounts/access/change.ts"
import type { Config } from "../config.ts"
import { withSnapshot } from "../data/db/connection.ts"
import { DatabaseError, withFirstConnection } from "../data/db/first-connection.ts"
import { checkSchema, migrate } from "../data/db/migrate.ts"
import { isUpToDate, pendingOf } from "../data/db/pending.ts"
import { createPool, type Pool } from "../data/db/pool/pool.ts"
import { keepRunning } from "../system/embedded/restart.ts"
import { startEmbedded } from "../system/embedded/server.ts"
import { describeError, type Log } from "../system/log/log.ts"
import { logToStderr, warnIfUnconfirmed } from "./terminal.ts"

export interface CommandDatabase {
  /** Bypasses a connection pooler. Contains a password: not for logs. */
  url: string
  /** Restarts an embedded server whenever it exits, until the database is closed. */
  keepRunning(log: Log): void
  close(): Promise<void>
}

/**
 * Opens the database, created or upgraded to this version. Reports an upgrade on standard error, because
 * standard output is the log of `serve`.
 * @throws DatabaseError
 */
export const openMigrated = (config: Config): Promise<CommandDatabase> =>
  openDatabase(config, async (url) => {
    const pending = await withFirstConnection(url, pendingOf)
    if (pending.version === null) await migrate(url)
    else if (!isUpToDate(pending)) {
      const { upgrade } = await import("./upgrade.ts")
      await upgrade(url, pending, logToStderr)
    }
  })

/** Opens the database of the settings, or starts the embedded database. Creates a missing one. @throws DatabaseError */
export async function openDatabase(
  config: Config,
  prepare: (url: string) => Promise<void>,
): Promise<CommandDatabase> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = config
  const database = DATABASE_URL
    ? { url: DATABASE_DIRECT_URL ?? DATABASE_URL, keepRunning: () => {}, close: async () => {} }
    : await openEmbedded(config.DATA_DIR)
  try {
    await prepare(database.url)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openEmbedded(dataDir: string): Promise<CommandDatabase> {
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

/**
 * Runs `work` on the database of the settings and closes it.
 * @throws DatabaseError if it is missing or its schema is outdated
 */
export async function withDatabase<T>(
  config: Config,
  work: (database: CommandDatabase) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL, DATA_DIR } = config
  // A misspelt directory does not become an empty database.
  if (!DATABASE_URL && !existsSync(join(DATA_DIR, "cluster"))) {
    throw new DatabaseError(
      `There is no database in ${DATA_DIR}: check DATA_DIR, or run \`mds migrate\` first`,
    )
  }
  const database = await openDatabase(config, checkSchema)
  try {
    return await work(database)
  } finally {
    // A failure to close does not undo the changes of the command.
    await database
      .close()
      .catch((error: unknown) => logToStderr(`Cannot close the database: ${error}`))
  }
}

/** Runs `work` in a read-only snapshot of the database of the settings. */
export const withSnapshotOf = <T>(config: Config, work: Parameters<typeof withSnapshot<T>>[1]) =>
  withDatabase(config, ({ url }) => withSnapshot(url, work))

export const withPool = <T>(config: Config, work: (pool: Pool) => Promise<T>): Promise<T> =>
  withDatabase(config, (database) => usePool(database, work))

/**
 * Runs `work` on the database of the settings, with its changes audited as this operator's. Reports the
 * change and the processes that did not confirm it.
 */
export const changeAccess = <T>(
  config: Config,
  work: (editor: Editor) => Promise<Changed<T>>,
  report: (value: T) => Promise<void> | void,
): Promise<void> =>
  withDatabase(config, async (database) => {
    const { value, unconfirmed } = await work(editorOf(config, database))
    await report(value)
    warnIfUnconfirmed(unconfirmed)
  })

/** The operator at this machine's command line, for the audit. */
export const editorOf = (config: Config, { url }: CommandDatabase): Editor => ({
  url,
  who: config.ACTOR || systemUser(),
  origin: `command line on ${hostname()}`,
})

/** Runs `work` with a pool and closes the pool. */
export async function usePool<T>(
  { url }: CommandDatabase,
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool(url, { name: "command", connections: 2, statementTimeoutMs: 60_000 })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

/** From the program `id`, because Bun's `userInfo` trusts the environment. */
function systemUser(): string {
  const id = Bun.which("id")
  const name = id ? Bun.spawnSync([id, "-un"]).stdout.toString().trim() : ""
  return name || `uid ${process.getuid?.()}`
}
