/** Reads the tables of a backup's file from its beginning to its end. */
import { createReadStream, fstatSync, type Stats, statSync } from "node:fs"
import { reasonOf } from "../loading/file-error.ts"
import type { Progress } from "../loading/progress.ts"
import { ArchiveError, type ArchiveHead, type Entry, tableData } from "./archive.ts"
import { BackupError } from "./backup-error.ts"
import { readArchive } from "./read-archive.ts"

/** The file of a backup. */
export interface BackupInput {
  /** Its path, or what else messages call it. */
  name: string
  /** Of a file that is open and has no path. */
  descriptor?: number
}

export interface ReadFile {
  input: BackupInput
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
export async function readTables({ input, progress, task, onTable }: ReadFile): Promise<WholeFile> {
  try {
    const bytesTotal = sizeOf(input)
    const archive = await readArchive(bytesOf(input))
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
    if (error instanceof ArchiveError) throw refused(input, error.message, error)
    throw error
  }
}

/** In bytes. @throws BackupError where it is no file that can be read twice */
function sizeOf(input: BackupInput): number {
  const stats = statsOf(input)
  if (stats.isDirectory()) throw refused(input, "it is a directory; give the file of a backup")
  if (!stats.isFile()) {
    throw refused(
      input,
      "it is not a regular file, and a backup is read twice; give - to read standard input",
    )
  }
  return stats.size
}

function statsOf({ name, descriptor }: BackupInput): Stats {
  try {
    return descriptor === undefined ? statSync(name) : fstatSync(descriptor)
  } catch (error) {
    throw cannotRead(name, error)
  }
}

async function* bytesOf({ name, descriptor }: BackupInput): AsyncGenerator<Uint8Array> {
  const highWaterMark = 1024 * 1024
  try {
    yield* descriptor === undefined
      ? createReadStream(name, { highWaterMark })
      : createReadStream("", { fd: descriptor, autoClose: false, start: 0, highWaterMark })
  } catch (error) {
    throw cannotRead(name, error)
  }
}

const cannotRead = (name: string, error: unknown): BackupError =>
  new BackupError(`Cannot read ${name}: ${reasonOf(error)}`, { cause: error })

export const refused = ({ name }: BackupInput, reason: string, cause?: unknown): BackupError =>
  new BackupError(`Cannot restore ${name}: ${reason}. Nothing was changed`, { cause })

const newline = 10

function linesIn(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++
  return lines
}
