import { Database } from "bun:sqlite"
import { chmodSync } from "node:fs"
import { codeOf } from "../../text/error-code.ts"

const lockTimeoutMs = 180_000

/**
 * Runs `work` while this process holds the lock file at `path`.
 *
 * Bun has no `flock`, but SQLite locks its files, and the kernel releases such a lock however the
 * process that holds it dies. Nothing is ever written to the file.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = open(path)
  try {
    const deadline = performance.now() + lockTimeoutMs
    while (!acquired(lock)) {
      if (performance.now() > deadline) {
        throw new Error(`another process has been starting it for too long; it holds ${path}`)
      }
      await Bun.sleep(25)
    }
    // By path: closing any other descriptor of the file would release this process's lock.
    chmodSync(path, 0o600)
    return await work()
  } finally {
    lock.close()
  }
}

function open(path: string): Database {
  try {
    return new Database(path, { create: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot open ${path} (${reason}); does it belong to another user?`)
  }
}

function acquired(lock: Database): boolean {
  try {
    lock.run("BEGIN EXCLUSIVE")
    return true
  } catch (error) {
    if (codeOf(error) === "SQLITE_BUSY") return false
    throw error
  }
}
