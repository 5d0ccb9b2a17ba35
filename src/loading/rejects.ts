/**
 * Rejected rows: each is counted and written to a file while the load continues. Too many end the
 * load.
 */
import { printableLine } from "../text/printable-text.ts"
import { type FileFigures, locationOf, unitOf } from "./figures.ts"
import { LoadError } from "./load-error.ts"
import { formatCount } from "./progress.ts"
import {
  RejectsFile,
  type RejectsFileOptions,
  type RejectsWritten,
  rejectsText,
} from "./rejects-file.ts"

export interface Reject {
  file: FileFigures
  /** Or the number of the feature or record. */
  line: number
  reason: string
  /** As read or, where the row was rejected after it had been staged, as mapped. */
  row: unknown
}

export interface RejectsOptions extends RejectsFileOptions {
  /** How many are allowed; by default 1,000 or one row in twenty, whichever is more. */
  max?: number
}

const defaultMax = 1000
const defaultShare = 0.05
/** How many rows are shown as warnings if the file cannot be written. */
const maxShown = 10
const maxReasons = 3
/** Bounds the memory; reasons that come later are hardly the most frequent. */
const maxKinds = 200

/** What is wrong, without the numbers and the quoted values that differ from row to row. */
const kindOf = (reason: string): string => reason.replace(/"(?:[^"\\]|\\.?)*"?|\d+/gs, "…")

export class Rejects {
  count = 0
  #shown = 0
  #first = ""
  /** How many rows there are of each kind of reason, and the first of them. */
  readonly #kinds = new Map<string, { rows: number; first: string }>()
  readonly #file: RejectsFile

  /** Warns if the file cannot be written. */
  constructor(readonly options: RejectsOptions) {
    this.#file = new RejectsFile(options)
    this.#file.check()
  }

  /** Which of the rows are in the file, and where it is. */
  get written(): RejectsWritten {
    return this.#file.written
  }

  add({ file, line, reason, row }: Reject): void {
    const text = printableLine(`${file.name}, ${locationOf(file, line)}: ${reason}`)
    if (this.count === 0) this.#first = text
    const isWritten = this.#file.write({ file: file.name, [unitOf(file)]: line, reason, row })
    if (!isWritten && this.#shown++ < maxShown) this.options.warn(`Rejected: ${text}`)
    this.count++
    file.rejected++
    this.#countKind(kindOf(reason), text)
  }

  #countKind(kind: string, first: string): void {
    const known = this.#kinds.get(kind)
    if (known) known.rows++
    else if (this.#kinds.size < maxKinds) this.#kinds.set(kind, { rows: 1, first })
  }

  /** The most frequent ones, each as a sentence without its full stop. */
  frequentReasons(): string[] {
    return [...this.#kinds.values()]
      .sort((a, b) => b.rows - a.rows)
      .slice(0, maxReasons)
      .map(({ rows, first }) =>
        rows === 1
          ? `1 row was rejected: ${first}`
          : `${formatCount(rows)} rows were rejected as ${first}`,
      )
  }

  /** @throws LoadError where there are too many for `rowsRead`. */
  check(rowsRead: number): void {
    const max = this.#max(rowsRead)
    if (this.count <= max) return
    throw this.#refusal(
      `Too many rejected rows: ${this.count} of ${rowsRead} read so far, more than the ${max} allowed. Nothing was published.`,
    )
  }

  /** The same, once all rows are known. @throws LoadError where none of them could be loaded, too. */
  checkAll(rowsRead: number): void {
    this.check(rowsRead)
    if (this.count > 0 && this.count === rowsRead)
      throw this.#refusal(`Nothing was published: every row was rejected, ${this.count} in all.`)
  }

  #refusal(what: string): LoadError {
    const { written } = this
    const where = written.lost ? rejectsText(written) : written.path && `All are in ${written.path}`
    return new LoadError(`${what} The first is ${this.#first}.${where ? ` ${where}` : ""}`)
  }

  /** How many more are allowed. */
  remaining(rowsRead: number): number {
    return Math.max(0, this.#max(rowsRead) - this.count)
  }

  #max(rowsRead: number): number {
    return this.options.max ?? Math.max(defaultMax, Math.floor(rowsRead * defaultShare))
  }

  close(): void {
    this.#file.close()
  }
}
