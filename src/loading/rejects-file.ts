/**
 * The file of rejected rows, one JSON object on each line, for people to look into. It is created
 * with the first of them, as is its directory. A file that cannot be written is a warning and does
 * not fail the load: it ends in the last whole row, and the outcome of the load says what it lacks.
 */
import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  unlinkSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { codeOf } from "../text/error-code.ts"
import { printableText } from "../text/printable-text.ts"
import { reasonOf } from "./file-error.ts"
import { fileTime } from "./file-time.ts"
import { formatCount } from "./progress.ts"

export interface RejectsFileOptions {
  /** Null for no file. */
  directory: string | null
  source: string
  warn: (text: string) => void
}

/** Rejected rows that are in no file. */
export interface RejectsLost {
  directory: string
  rows: number
  /** Why they could not be written. */
  reason: string
}

/** What has become of the rejected rows. */
export interface RejectsWritten {
  /** Null where it has no row. */
  path: string | null
  /** How many rows the file has. */
  rows: number
  /** Null where the file has all, or where none was asked for. */
  lost: RejectsLost | null
}

/** A sentence without its end; undefined where no row was rejected or no file was asked for. */
export function rejectsText({ path, rows, lost }: RejectsWritten): string | undefined {
  if (lost && path) {
    return `Only the first ${formatCount(rows)} of ${formatCount(rows + lost.rows)} rejected rows are in ${path}: ${lost.reason}`
  }
  if (lost) return `The rejected rows could not be written to ${lost.directory}: ${lost.reason}`
  return path ? `Rejected rows are in ${path}` : undefined
}

export class RejectsFile {
  /** Null until the file is created. */
  path: string | null = null
  #file: number | undefined
  #rows = 0
  #bytes = 0
  #lostRows = 0
  /** Why no further row can be written. */
  #failure: string | undefined

  constructor(readonly options: RejectsFileOptions) {}

  /** Before the load begins, warns of a directory in which no file can be created. */
  check(): void {
    const { directory } = this.options
    if (directory === null) return
    try {
      accessSync(nearestExisting(directory), constants.W_OK | constants.X_OK)
    } catch (error) {
      this.#endWriting(directory, error)
    }
  }

  /** @returns whether it was written */
  write(row: object): boolean {
    const { directory } = this.options
    if (directory === null) return false
    const isWritten = this.#failure === undefined && this.#append(directory, row)
    if (!isWritten) this.#lostRows++
    return isWritten
  }

  get written(): RejectsWritten {
    const { directory } = this.options
    const reason = this.#failure
    const lost =
      directory !== null && reason !== undefined && this.#lostRows > 0
        ? { directory, rows: this.#lostRows, reason }
        : null
    return { path: this.#rows > 0 ? this.path : null, rows: this.#rows, lost }
  }

  #append(directory: string, row: object): boolean {
    const line = Buffer.from(`${printableText(JSON.stringify(row))}\n`)
    try {
      this.#file ??= this.#open(directory)
      appendFileSync(this.#file, line)
      this.#rows++
      this.#bytes += line.length
      return true
    } catch (error) {
      this.#endWriting(directory, error)
      return false
    }
  }

  close(): void {
    const file = this.#file
    this.#file = undefined
    try {
      if (file !== undefined) closeSync(file)
    } catch (error) {
      this.options.warn(
        `Cannot close ${this.path}: ${reasonOf(error)}; rejected rows may be missing from it`,
      )
    }
  }

  /** A write may have got a part of its row into the file, or none into a new one. */
  #endWriting(directory: string, error: unknown): void {
    const { warn } = this.options
    const reason = reasonOf(error)
    this.#failure = reason
    if (this.path !== null && this.#rows > 0) {
      warn(
        `Cannot write more rejected rows to ${this.path}: ${reason}; the first of the others are listed here instead`,
      )
    } else {
      warn(
        `Cannot write rejected rows to ${directory}: ${reason}; the first of them are listed here instead`,
      )
    }
    this.#removePart()
  }

  #removePart(): void {
    if (this.#file === undefined || this.path === null) return
    const hasRows = this.#rows > 0
    try {
      if (hasRows) {
        ftruncateSync(this.#file, this.#bytes)
      } else {
        unlinkSync(this.path)
        this.path = null
      }
    } catch (error) {
      const what = hasRows
        ? `the part of a row at the end of ${this.path}`
        : `${this.path}, which has no row`
      this.options.warn(`Cannot remove ${what}: ${reasonOf(error)}`)
    }
  }

  /** Never overwrites the rejects of another load. */
  #open(directory: string): number {
    mkdirSync(directory, { recursive: true })
    const name = `rejects-${this.options.source}-${fileTime(new Date())}`
    for (let attempt = 1; ; attempt++) {
      const path = join(directory, `${name}${attempt === 1 ? "" : `-${attempt}`}.ndjson`)
      try {
        const file = openSync(path, "wx")
        this.path = path
        return file
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
      }
    }
  }
}

/** The directory itself, or its nearest ancestor that exists. @throws the system's error */
function nearestExisting(directory: string): string {
  // With a slash at the end, the path of a file is an error.
  const path = resolve(directory)
  try {
    accessSync(`${path}/`)
    return path
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || path === dirname(path)) throw error
    return nearestExisting(dirname(path))
  }
}
