import { Database } from "bun:sqlite"
import { chmodSync } from "node:fs"
import { codeOf } from "../../text/error-code.ts"

/**
 * Takes the lock file at `path`, until it is released or this process ends. Returns what releases it, or
 * undefined while another holder has it.
 *
 * Bun has no `flock`, but SQLite locks its files, and the kernel releases such a lock however the
 * process that holds it ends. Nothing is ever written to the file.
 */
export function tryLock(path: string): (() => void) | undefined {
  const file = open(path)
  try {
    file.run("BEGIN EXCLUSIVE")
  } catch (error) {
    file.close()
    if (codeOf(error) === "SQLITE_BUSY") return undefined
    throw error
  }
  // By path: closing any other descriptor of the file would release this process's lock.
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
