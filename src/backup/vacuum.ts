import { withConnection } from "../db/connection.ts"
import { programMigrations } from "../db/migrate.ts"
import { reasonOf } from "../loading/file-error.ts"
import type { Progress } from "../loading/progress.ts"
import { quoted } from "./table-text.ts"
import { tablesAfter } from "./tables.ts"

/** As after a load: new tables have neither statistics nor a visibility map. A failure is a warning. */
export async function vacuumRestored(url: string, progress: Progress): Promise<void> {
  progress.step("Vacuuming and analyzing the tables")
  const names = tablesAfter(programMigrations()).map(quoted)
  await withConnection(url, async (client) => {
    await client.unsafe("set statement_timeout = 0; set lock_timeout = '10s'")
    await client.unsafe(`vacuum (analyze) ${names}`)
  }).catch((error: unknown) => {
    progress.warn(
      `Cannot vacuum and analyze the tables: ${reasonOf(error)}; autovacuum will do it later`,
    )
  })
}
