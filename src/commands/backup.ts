import type { Command } from "commander"
import { backUp } from "../backup/backup.ts"
import { BackupError } from "../backup/backup-error.ts"
import { openOutputFile } from "../backup/output-file.ts"
import { standardOutput } from "../backup/standard-output.ts"
import type { Config } from "../config.ts"
import { schemaVersion } from "../db/migrate.ts"
import { formatCount, progressOn } from "../loading/progress.ts"
import { withDatabaseAfter } from "./database.ts"
import { exitCodes } from "./exit-codes.ts"
import { logToStderr } from "./terminal.ts"

export function addBackupCommand(program: Command, config: () => Config): void {
  program
    .command("backup")
    .description("back up everything in the database to a file, while the service runs")
    .argument("<file>", "the file to write, in the custom format of pg_dump; - for standard output")
    .option("--force", "replace the file if it exists")
    .action(async (path: string, { force = false }: { force?: boolean }) => {
      const progress = progressOn(process.stderr)
      const output = path === "-" ? standardOutput() : await openOutputFile(path, force)
      const end = (): Promise<boolean> => {
        progress.stop()
        return output.abandon()
      }
      endOnSignal(end)
      const {
        release,
        rows,
        tables,
        bytes,
        schemaVersion: version,
      } = await withDatabaseAfter(checkThereAreTables, config(), ({ url }) =>
        backUp({ url, progress, write: output.write }),
      ).finally(end)
      logToStderr(
        `Backed up release ${release}: ${formatCount(rows)} rows of ${tables} tables, ` +
          `${formatCount(bytes)} bytes, schema version ${version}`,
      )
    })
}

/** Of any version up to this program's: it is before an upgrade that a backup is wanted most. */
async function checkThereAreTables(url: string): Promise<void> {
  if ((await schemaVersion(url)) > 0) return
  throw new BackupError("The database has no tables yet: there is nothing to back up")
}

/** @param abandon returns whether the backup was written before the signal */
function endOnSignal(abandon: () => Promise<boolean>): void {
  for (const [signal, exitCode] of Object.entries(exitCodes)) {
    process.once(signal, async () => {
      const isWritten = await abandon()
      logToStderr(`Interrupted: ${isWritten ? "the" : "no"} backup was written`)
      process.exit(isWritten ? 0 : exitCode)
    })
  }
}
