/**
 * Writes a file that is there as a whole or not at all: under another name first, which it gets in
 * exchange for its own once everything is on the disk.
 */
import { existsSync } from "node:fs"
import { open, readdir, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { reasonOf } from "../loading/file-error.ts"
import { BackupError } from "./backup-error.ts"

/** What a process that was killed has left is deleted once nobody has written to it for so long. */
const abandonedMs = 60 * 60 * 1000

export interface OutputFile {
  /** @throws BackupError */
  write(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Deletes what has been written, unless it is the whole file. Returns whether that is there. */
  abandon(): Promise<boolean>
}

/** @throws BackupError where the file exists and is not to be replaced */
export async function openOutputFile(path: string, replace: boolean): Promise<OutputFile> {
  const target = resolve(path)
  const refuseExisting = (): void => {
    if (!replace && existsSync(target))
      throw new BackupError(`${path} exists; add --force to replace it`)
  }
  refuseExisting()
  const unfinished = `${target}.unfinished-${crypto.randomUUID()}`
  await deleteAbandoned(target)
  let isWhole = false
  return {
    write: async (bytes) => {
      try {
        const file = await open(unfinished, "wx", 0o600).catch((error) => {
          throw cannotWrite(path, error)
        })
        try {
          for await (const chunk of bytes) {
            await file.writeFile(chunk).catch((error) => {
              throw cannotWrite(path, error)
            })
          }
          await file.sync()
        } finally {
          await file.close()
        }
        refuseExisting()
        await rename(unfinished, target)
        isWhole = true
        await syncDirectory(dirname(target))
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
    },
    abandon: async () => {
      await rm(unfinished, { force: true })
      return isWhole
    },
  }
}

async function deleteAbandoned(target: string): Promise<void> {
  const directory = dirname(target)
  const prefix = `${basename(target)}.unfinished-`
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.startsWith(prefix)) continue
    const path = join(directory, name)
    const lastWritten = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - lastWritten > abandonedMs) await rm(path, { force: true })
  }
}

/** So that the new name survives a power cut too. Some file systems cannot, and need not. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r")
  await handle.sync().catch(() => {})
  await handle.close()
}

const cannotWrite = (path: string, error: unknown): BackupError =>
  new BackupError(`Cannot write ${path}: ${reasonOf(error)}`, { cause: error })
