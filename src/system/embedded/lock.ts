import { Database } from "bun:sqlite"
import { chmodSync } from "node:fs"
import { codeOf } from "../text/error-code.ts"

/**
 * Locks the file at `path` until the release or the end of this process.
 *
 * Bun has no `flock`, but SQLite locks its files, and the kernel releases the locks of a process that ends. The
 * file stays empty.
 * @returns releases the lock; undefined if another process has it
 */
export function tryLock(path: string): (() => void) | undefined {
  const file = open(path)
  try {
    file.run("BEGIN EXCLUSIVE")
  } catch (error) {
    file.close()
    if (codeOf(error) === "SQLITE_BUSY") return undefined
    if (codeOf(error) !== "SQLITE_NOTADB") throw error
    throw new Error(
      `${path} is damaged. Stop all processes that use the directory, then delete the file`,
    )
  }
  // By path, because closing another descriptor of the file would release the lock.
  chmodSync(path, 0o600)
  return () => file.close()
}

function open(path: string): Database {
  try {
    return new Database(path, { create: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot open ${path} (${reason}); does it belong to another user?`)
  }
}
