/**
 * Rejected rows: written to a file of their own, one JSON object on each line, while the load goes
 * on. The file is made with the first of them. Too many end the load.
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { type FileFigures, placeOf } from "./figures.ts"
import { fileTime } from "./file-time.ts"
import { LoadRefused } from "./load-refused.ts"

export interface Reject {
  file: FileFigures
  /** Or the number of the feature or record that it is. */
  line: number
  reason: string
  /** As read; as mapped, where the row was rejected after it had been staged. */
  row: unknown
}

export interface RejectsOptions {
  directory: string
  source: string
  /** The most that are let pass; by default 1,000 or one row in twenty, whichever is more. */
  max?: number
}

const defaultMost = 1000
const defaultShare = 0.05

export class Rejects {
  /** Null until a row is rejected. */
  path: string | null = null
  count = 0
  #file: number | undefined
  #first = ""

  constructor(readonly options: RejectsOptions) {}

  add({ file, line, reason, row }: Reject): void {
    this.#file ??= this.#open()
    if (this.count === 0) this.#first = `${file.name}, ${placeOf(file, line)}: ${reason}`
    const [counted, number] = placeOf(file, line).split(" ")
    const place = { [String(counted)]: Number(number) }
    writeSync(this.#file, `${JSON.stringify({ file: file.name, ...place, reason, row })}\n`)
    this.count++
    file.rejected++
  }

  /** @throws LoadRefused where there are too many for `rowsRead`. */
  check(rowsRead: number): void {
    const most = this.#most(rowsRead)
    if (this.count <= most) return
    throw new LoadRefused(
      `Too many rows are rejected: ${this.count} of ${rowsRead} read so far, and ${most} are let pass. ` +
        `Nothing is published. The first is ${this.#first}. All are in ${this.path}.`,
    )
  }

  /** How many more are let pass. */
  room(rowsRead: number): number {
    return Math.max(0, this.#most(rowsRead) - this.count)
  }

  #most(rowsRead: number): number {
    return this.options.max ?? Math.max(defaultMost, Math.floor(rowsRead * defaultShare))
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Never writes over the rejects of another load. */
  #open(): number {
    const time = fileTime(new Date())
    for (let attempt = 1; ; attempt++) {
      const suffix = attempt === 1 ? "" : `-${attempt}`
      const path = join(
        this.options.directory,
        `rejects-${this.options.source}-${time}${suffix}.ndjson`,
      )
      try {
        const file = openSync(path, "wx")
        this.path = path
        return file
      } catch (error) {
        const exists = error instanceof Error && "code" in error && error.code === "EEXIST"
        if (!exists) throw error
      }
    }
  }
}
