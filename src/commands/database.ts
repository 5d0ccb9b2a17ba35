/** The database that a command works on. */
import type { Config } from "../config.ts"
import { startEmbedded } from "../db/embedded/server.ts"
import { migrate } from "../db/migrate.ts"
import { createPool, type Pool } from "../db/pool.ts"
import { say } from "./terminal.ts"

export interface Database {
  /** Holds a password: not for logs. */
  url: string
  close(): Promise<void>
}

/** The settings' database, or the embedded one, which is started where it does not run; migrated. */
export async function openDatabase(config: Config): Promise<Database> {
  const database = config.DATABASE_URL
    ? { url: config.DATABASE_URL, close: async () => {} }
    : await openEmbedded(config.DATA_DIR)
  try {
    await migrate(database.url)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openEmbedded(dataDir: string): Promise<Database> {
  const server = await startEmbedded(dataDir, { log: say })
  return { url: server.url, close: server.stop }
}

/** Runs `work` on the settings' database, and closes it whatever happens. */
export async function withPool<T>(config: Config, work: (pool: Pool) => Promise<T>): Promise<T> {
  const database = await openDatabase(config)
  try {
    return await usePool(database, work)
  } finally {
    await database.close()
  }
}

/** Runs `work` with a pool on a database that is open, and closes the pool whatever happens. */
export async function usePool<T>({ url }: Database, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(url, {
    name: "command",
    connections: 2,
    queueLength: 10,
    statementTimeoutMs: 60_000,
  })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}
