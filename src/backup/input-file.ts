/** Reads the tables of a backup's file from its beginning to its end. */
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { reasonOf } from "../loading/file-error.ts"
import type { Progress } from "../loading/progress.ts"
import { ArchiveError, type ArchiveHead, type Entry, tableData } from "./archive.ts"
import { BackupError } from "./backup-error.ts"
import { readArchive } from "./read-archive.ts"

export interface ReadFile {
  path: string
  progress: Progress
  /** What is done with it: "Checking". */
  task: string
  /** Must read the text to its end. */
  onTable: (entry: Entry, text: AsyncIterable<Uint8Array>) => Promise<void>
}

export interface WholeFile {
  head: ArchiveHead
  /** Whether it ends in a checksum, which is then right. */
  hasChecksum: boolean
}

/** @throws BackupError where it cannot be read, is damaged or not complete */
export async function readTables({ path, progress, task, onTable }: ReadFile): Promise<WholeFile> {
  try {
    const { size: bytesTotal } = await stat(path)
    const archive = await readArchive(createReadStream(path, { highWaterMark: 1024 * 1024 }))
    let rows = 0
    async function* counted(text: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of text) {
        rows += linesIn(chunk)
        progress.reading({ file: task, rows, bytesRead: archive.bytesRead(), bytesTotal })
        yield chunk
      }
    }
    for await (const { entry, text } of archive.data()) {
      if (entry.kind !== tableData)
        throw new ArchiveError("it has large objects, which cannot be restored here")
      await onTable(entry, counted(text))
    }
    return { head: archive.head, hasChecksum: await archive.checkEnd() }
  } catch (error) {
    if (error instanceof ArchiveError) throw refused(path, error.message, error)
    if (isFileError(error))
      throw new BackupError(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error })
    throw error
  }
}

export const refused = (path: string, reason: string, cause?: unknown): BackupError =>
  new BackupError(`Cannot restore ${path}: ${reason}. Nothing was changed`, { cause })

const isFileError = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && "path" in error

const newline = 10

function linesIn(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++
  return lines
}
