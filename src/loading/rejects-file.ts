/**
 * The file of rejected rows, one JSON object on each line, for people to look into. It is created
 * with the first of them, as is its directory. A file that cannot be written is a warning and does
 * not fail the load.
 */
import { accessSync, appendFileSync, closeSync, constants, mkdirSync, openSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { codeOf } from "../text/error-code.ts"
import { printableText } from "../text/printable-text.ts"
import { reasonOf } from "./file-error.ts"
import { fileTime } from "./file-time.ts"

export interface RejectsFileOptions {
  /** Null for no file. */
  directory: string | null
  source: string
  warn: (text: string) => void
}

export class RejectsFile {
  /** Null until a row is written. */
  path: string | null = null
  #file: number | undefined
  #isWritable = true

  constructor(readonly options: RejectsFileOptions) {}

  /** Before the load begins, warns of a directory in which no file can be created. */
  check(): void {
    const { directory } = this.options
    if (directory === null) return
    try {
      accessSync(nearestExisting(directory), constants.W_OK | constants.X_OK)
    } catch (error) {
      this.#disable(directory, error)
    }
  }

  /** @returns whether it was written */
  write(row: object): boolean {
    const { directory } = this.options
    if (directory === null || !this.#isWritable) return false
    try {
      this.#file ??= this.#open(directory)
      appendFileSync(this.#file, `${printableText(JSON.stringify(row))}\n`)
      return true
    } catch (error) {
      this.#disable(directory, error)
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

  #disable(directory: string, error: unknown): void {
    this.#isWritable = false
    this.options.warn(
      `Cannot write rejected rows to ${directory}: ${reasonOf(error)}; the first of them are listed here instead`,
    )
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
