import type { Command } from "commander"
import { type Restored, restore } from "../backup/restore.ts"
import { keepStandardInput } from "../backup/standard-input.ts"
import { vacuumRestored } from "../backup/vacuum.ts"
import type { Config } from "../config.ts"
import { checkSchemaIfAny } from "../db/migrate.ts"
import { progressOn } from "../loading/progress.ts"
import { withDatabaseAfter } from "./database.ts"
import { handleSignals } from "./signals.ts"
import { logToStderr, warnIfUnconfirmed } from "./terminal.ts"

export function addRestoreCommand(program: Command, config: () => Config): void {
  program
    .command("restore")
    .description("restore a backup, all of it or nothing, while the service runs")
    .argument("<file>", "a file of mds backup or pg_dump --format=custom; - for standard input")
    .option("--replace", "replace the data that the database has")
    .action(async (path: string, { replace = false }: { replace?: boolean }) => {
      const progress = progressOn(process.stderr)
      const signals = handleSignals(progress.stop, outcomes)
      const work = async (): Promise<void> => {
        const input = path === "-" ? await keepStandardInput() : { name: path }
        await withDatabaseAfter(checkSchemaIfAny, config(), async ({ url }) => {
          const restored = await restore({
            url,
            input,
            replace,
            progress,
            onCommit: signals.committing,
          })
          signals.published()
          progress.stop()
          report(restored)
          if (signals.reported()) return
          await vacuumRestored(url, progress)
        })
      }
      await work().finally(progress.stop)
    })
}

const outcomes = {
  none: "nothing was changed",
  done: "the backup was restored",
  unknown: "it is not known whether the backup was restored",
  waiting: "Committing; waiting for the outcome",
}

function report({
  release,
  others,
  hasChecksum,
  head,
  schemaVersion,
  unconfirmed,
}: Restored): void {
  const made = head.madeAt.toISOString().slice(0, 19)
  logToStderr(
    `Restored release ${release}, of the backup made at ${made}Z at schema version ${schemaVersion}`,
  )
  if (others.length > 0)
    logToStderr(`Left out, as they are not the service's: ${others.join(", ")}`)
  if (!hasChecksum) {
    logToStderr("The file has no checksum, as pg_dump writes none: only its structure was checked")
  }
  warnIfUnconfirmed(unconfirmed)
}
