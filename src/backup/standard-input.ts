import { createWriteStream, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { reasonOf } from "../loading/file-error.ts"
import { BackupError } from "./backup-error.ts"
import type { BackupInput } from "./input-file.ts"

/**
 * A backup is read twice. Standard input cannot be, so it is kept in a temporary file. The file has no
 * name, so that nothing of it is left however the process ends.
 * @throws BackupError where it cannot be kept
 */
export async function keepStandardInput(): Promise<BackupInput> {
  try {
    const descriptor = openNameless()
    await pipeline(process.stdin, createWriteStream("", { fd: descriptor, autoClose: false }))
    return { name: "standard input", descriptor }
  } catch (error) {
    throw new BackupError(
      `Cannot keep standard input in ${tmpdir()}: ${reasonOf(error)}. Nothing was changed. ` +
        "Give the path of the file instead, or another directory as TMPDIR",
    )
  }
}

/** The process has it open until it ends. */
function openNameless(): number {
  const directory = mkdtempSync(join(tmpdir(), "mds-restore-"))
  try {
    return openSync(join(directory, "standard input"), "wx+", 0o600)
  } finally {
    rmSync(directory, { recursive: true })
  }
}
