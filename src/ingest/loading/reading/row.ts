/** The input and output of the readers of all formats. */

import type { ReferenceSystem } from "../../../data/places/reference-system.ts"
import type { RawRecord, Source } from "../../sources/source.ts"
import type { FileFigures } from "../figures.ts"
import type { RowShape } from "../staged-shape.ts"

/**
 * A row and the line of the file on which it begins, or the number of its feature or record. A row with an
 * `error` cannot be parsed as a record; `readable` is the part of it that can. A row without a `shape` states
 * none.
 */
export type Row =
  | { line: number; raw: RawRecord; shape?: RowShape | undefined; error?: never }
  | { line: number; raw: unknown; error: string; readable?: RawRecord }

export const readable = (row: Row): RawRecord =>
  (row.error === undefined ? row.raw : row.readable) ?? {}

/** Ends the load; a faulty row is yielded with an `error` instead. @param fault why the file cannot be read */
export type RefuseFile = (fault: string, options?: ErrorOptions) => never

/** How a file is read, before it is open. */
export interface TableReading {
  source: Pick<Source, "columns" | "banner" | "bannerDate">
  /** Readers add their remarks on the file. */
  figures: FileFigures
  readsShapes: boolean
  /** The reference system that the operator names, which the file may not state. */
  crs?: ReferenceSystem | undefined
}

/** The input of a reader besides the text. */
export interface FileReading extends TableReading {
  refuse: RefuseFile
}

/** One input, before its format is known. */
export interface InputFile {
  /** Without its directories, which are never published. */
  name: string
  /** Null if unknown. */
  bytesTotal: number | null
  bytesRead: () => number
  /**
   * Reads the rest of every opened stream, because checksums follow the data. Call it once, before the load
   * publishes. Returns the SHA-256 of the file as stored and of those beside it, hexadecimal.
   */
  finish: () => Promise<string[]>
  /** Decompressed. @throws LoadError for any fault of the file */
  bytes: () => AsyncGenerator<Uint8Array>
  /** The file of this extension beside it, as the parts of a shapefile; undefined where there is none. */
  companion: (extension: string) => AsyncIterable<Uint8Array> | undefined
  refuse: RefuseFile
}
