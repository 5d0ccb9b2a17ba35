import { drizzle } from "drizzle-orm/postgres-js"
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator"
import { withConnection } from "./connection.ts"

/** Any number that other users of the database are unlikely to lock. */
const migrationLock = 7_140_233_001

/**
 * Brings the database at `url` to the newest migration. Safe to call from several processes at once:
 * they wait for each other on an advisory lock, held by the one connection that also migrates.
 */
export async function migrate(url: string): Promise<void> {
  await withConnection(url, async (client) => {
    await client`select pg_advisory_lock(${migrationLock})`
    await applyMigrations(drizzle(client), {
      migrationsFolder: Bun.fileURLToPath(new URL("../../drizzle", import.meta.url)),
    })
  })
}
