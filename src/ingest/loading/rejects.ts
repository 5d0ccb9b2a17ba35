/**
 * Rejected rows. The first creates a file of one JSON object on each line. A failure to write it is a
 * warning and does not fail the load: the summary of the load states the missing rows. Too many rejected
 * rows end the load.
 */
import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { formatCount } from "../../system/text/display.ts"
import { printableLine, printableText } from "../../system/text/printable-text.ts"
import { type FileFigures, unitOf } from "./figures.ts"
import { fileTime } from "./file-names.ts"
import { LoadError, reasonOf, refused } from "./load-error.ts"
import type { Load } from "./load-options.ts"
import type { Progress } from "./progress.ts"

export interface Reject {
  file: Pick<FileFigures, "name" | "counted">
  /** Or the number of the feature or record. */
  line: number
  reason: string
  /** As read or, if the row was rejected after it was staged, as mapped. */
  row: unknown
}

/** The file of the rejected rows. */
export interface RejectsWritten {
  /** Null where it has no row. */
  rejectsFile: string | null
  /** Why it lacks rejected rows, as a sentence without its full stop; null where it lacks none. */
  rejectsFault: string | null
}

/** A sentence without its full stop; undefined without rejected rows, or where no file was requested. */
export const rejectsText = ({ rejectsFile, rejectsFault }: RejectsWritten): string | undefined =>
  rejectsFault ?? (rejectsFile === null ? undefined : `Rejected rows are in ${rejectsFile}`)

/** How many are allowed by default: the higher of the two. */
const defaultMax = 1000
const defaultShare = 0.05
/** How many unwritten rows are shown as warnings. */
const maxShown = 10
const maxReasons = 3
/** Limits the memory; later reasons are hardly the most frequent. */
const maxKinds = 200

/** The reason without the numbers and quoted values that differ from row to row. */
const kindOf = (reason: string): string => reason.replace(/"(?:[^"\\]|\\.?)*"?|\d+/gs, "…")

export class Rejects {
  count = 0
  #path: string | null = null
  /** How many rows the file has. */
  #rows = 0
  /** Why no further row can be written. */
  #failure: string | undefined
  /** How many rows there are of each kind of reason, and the first of them. */
  readonly #kinds = new Map<string, { rows: number; first: string }>()

  constructor(
    readonly load: Pick<Load, "source" | "rejectsDir" | "maxRejects"> & {
      progress: Pick<Progress, "warn">
    },
  ) {}

  get written(): RejectsWritten {
    const rejectsFile = this.#rows > 0 ? this.#path : null
    if (this.#failure === undefined) return { rejectsFile, rejectsFault: null }
    const fault =
      rejectsFile === null
        ? `Cannot write the rejected rows to ${this.load.rejectsDir}`
        : `Only the first ${formatCount(this.#rows)} of ${formatCount(this.count)} rejected rows are in ${rejectsFile}`
    return { rejectsFile, rejectsFault: `${fault}: ${this.#failure}` }
  }

  add({ file, line, reason, row }: Reject): void {
    const text = printableLine(`${file.name}, ${unitOf(file)} ${line}: ${reason}`)
    const { rejectsDir, progress } = this.load
    if (rejectsDir !== undefined && this.#failure === undefined) {
      this.#write(rejectsDir, { file: file.name, [unitOf(file)]: line, reason, row })
    }
    this.count++
    const lost = this.count - this.#rows
    if (lost > 0 && lost <= maxShown) progress.warn(`Rejected: ${text}`)
    const kind = this.#kinds.get(kindOf(reason))
    if (kind) kind.rows++
    else if (this.#kinds.size < maxKinds) this.#kinds.set(kindOf(reason), { rows: 1, first: text })
  }

  #write(directory: string, row: object): void {
    try {
      this.#path ??= newPath(directory, this.load.source.name)
      appendFileSync(this.#path, `${printableText(JSON.stringify(row))}\n`)
      this.#rows++
    } catch (error) {
      this.#failure = reasonOf(error)
      const what =
        this.#rows > 0 ? `more rejected rows to ${this.#path}` : `rejected rows to ${directory}`
      this.load.progress.warn(
        `Cannot write ${what}: ${this.#failure}; the first unwritten rows follow`,
      )
    }
  }

  /** The most frequent ones, each as a sentence without its full stop. */
  frequentReasons(): string[] {
    return [...this.#kinds.values()]
      .sort((a, b) => b.rows - a.rows)
      .slice(0, maxReasons)
      .map(({ rows, first }) =>
        rows === 1
          ? `1 row was rejected: ${first}`
          : `${formatCount(rows)} rows were rejected, the first in ${first}`,
      )
  }

  /** @throws LoadError where there are too many for `rowsRead`. */
  check(rowsRead: number): void {
    const max = this.#max(rowsRead)
    if (this.count <= max) return
    const finding =
      `Too many rejected rows: ${formatCount(this.count)} of ${formatCount(rowsRead)} read so far, more than the ` +
      `${formatCount(max)} allowed`
    const cure = "Nothing was published. Correct the file, or raise --max-rejects."
    throw new LoadError(`${finding}. ${cure}${this.#first()}`, { finding })
  }

  /** The same, once all rows are known. @throws LoadError where none of them could be loaded, too. */
  checkAll(rowsRead: number): void {
    this.check(rowsRead)
    if (this.count > 0 && this.count === rowsRead)
      throw refused(
        `every row was rejected, ${formatCount(this.count)} in all`,
        `. Check the source in the command.${this.#first()}`,
      )
  }

  /** The first rejected row, and where the others are. */
  #first(): string {
    const { rejectsFile, rejectsFault } = this.written
    const where = rejectsFault ?? (rejectsFile && `All are in ${rejectsFile}`)
    const [kind] = this.#kinds.values()
    return ` The first is ${kind?.first}.${where ? ` ${where}` : ""}`
  }

  /** How many more are allowed. */
  remaining(rowsRead: number): number {
    return Math.max(0, this.#max(rowsRead) - this.count)
  }

  #max(rowsRead: number): number {
    return this.load.maxRejects ?? Math.max(defaultMax, Math.floor(rowsRead * defaultShare))
  }
}

/** The path of a new file, in a directory that is created if it is missing. */
function newPath(directory: string, source: string): string {
  mkdirSync(directory, { recursive: true })
  const id = crypto.randomUUID().slice(0, 8)
  return join(directory, `rejects-${source}-${fileTime(new Date())}-${id}.ndjson`)
}
