/** What of a backup cannot be read is reported as that, and not as damage or an error of the program. */
import { afterAll, expect, test } from "bun:test"
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { BackupError } from "../../src/backup/backup-error.ts"
import { readTables } from "../../src/backup/input-file.ts"
import { silent } from "../../src/loading/progress.ts"
import { commandsIn } from "./databases.ts"

const { path, remove } = commandsIn()

afterAll(remove)

const dump = Bun.fileURLToPath(new URL("pg_dump-18.3.dump", import.meta.url))
const errorOf = (descriptor: number): Promise<unknown> =>
  readTables({
    input: { name: "standard input", descriptor },
    progress: silent,
    task: "Checking",
    onTable: async (_, text) => {
      for await (const _chunk of text) {
      }
    },
  }).then(
    () => undefined,
    (error) => error,
  )

test("standard input that is no longer open is reported by name", async () => {
  const descriptor = openSync(dump, "r")
  closeSync(descriptor)
  const error = await errorOf(descriptor)
  expect(error).toBeInstanceOf(BackupError)
  expect(String(error)).toStartWith("BackupError: Cannot read standard input: ")
})

test("standard input of which the file cannot be read is reported by name", async () => {
  const copy = path("copy.dump")
  writeFileSync(copy, readFileSync(dump))
  const descriptor = openSync(copy, "a")
  const error = await errorOf(descriptor)
  closeSync(descriptor)
  expect(error).toBeInstanceOf(BackupError)
  expect(String(error)).toStartWith("BackupError: Cannot read standard input: ")
})
