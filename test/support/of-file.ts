/** Fixtures for the tests of one file: they remove themselves after its last test, the newest first. */
import { afterAll } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { testDatabase } from "./postgres.ts"
import { detachedProcess } from "./process.ts"

const cleanups: (() => unknown)[] = []

/** Calls this after the last test of the file, before all that was passed earlier. */
export function afterFile(cleanup: () => unknown): void {
  cleanups.push(cleanup)
  afterAll(async () => {
    await cleanups.pop()?.()
  })
}

/** Makes a directory for temporary files, below the system's. */
export function directoryOfFile(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, "mds-test-"))
  afterFile(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Makes a database, with all migrations applied unless another one is passed, and a client of it. */
export async function databaseOfFile(making = testDatabase()) {
  const { url, drop } = await making
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  afterFile(drop)
  afterFile(() => sql.end({ timeout: 1 }))
  return { url, sql }
}

/** Starts detached processes for the tests of a file, and kills those that run after the last of them. */
export function processesOfFile(): typeof detachedProcess {
  const running: Bun.Subprocess[] = []
  afterFile(async () => {
    for (const child of running) child.kill("SIGKILL")
    await Promise.all(running.map(({ exited }) => exited))
  })
  return async (...given) => {
    const started = await detachedProcess(...given)
    running.push(started.child)
    return started
  }
}
