/** What the readers of all formats take and return. */
import type { Columns } from "../../sources/columns.ts"
import type { RawRecord } from "../../sources/source.ts"

/**
 * A row and the line of the file on which it begins, or the number of the feature or record that it
 * is. With an `error` it cannot be parsed as a record; `readable` is the part of it that could be.
 */
export type Row =
  | { line: number; raw: RawRecord; error?: never }
  | { line: number; raw: unknown; error: string; readable?: RawRecord }

export const readable = (row: Row): RawRecord =>
  (row.error === undefined ? row.raw : row.readable) ?? {}

/** Ends the load with the reason why the file cannot be read. */
export type RejectFile = (what: string) => never

/** What a reader knows of its file, and what it reports of it. */
export interface Reading {
  /** Of its source. */
  columns: Columns
  /** Matches a line that may precede the header. */
  banner?: RegExp | undefined
  noteBanner?: (banner: string) => void
  reject: RejectFile
  /** How the file was read, for the summary of the load. */
  note: (what: string) => void
  /** The file says itself that it lacks records of its source. */
  markIncomplete: () => void
}

/** One input, before its format is known. */
export interface InputFile {
  /** Without its directories, which are published nowhere. */
  name: string
  /** Null if unknown. */
  bytesTotal: number | null
  bytesRead: () => number
  /** SHA-256 of what has been read, hexadecimal. Call once, at the end. */
  sha256: () => string
  /** Decompressed. Any error of the file is thrown as `LoadError`. */
  bytes: () => AsyncGenerator<Uint8Array>
  reject: RejectFile
}
