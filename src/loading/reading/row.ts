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

/**
 * The cells of a record of a table and the line or row on which it begins, or why they cannot be
 * parsed, with the text of the record.
 */
export type TableRecord =
  | {
      line: number
      cells: string[]
      /** By index, what is wrong with a cell, after the name of its column. */
      faults?: ReadonlyMap<number, string>
      error?: never
      text?: never
    }
  | { line: number; cells?: never; faults?: never; error: string; text: string }

/** Receives what the summary of the load should mention of a file. */
export interface Remarks {
  /** How it was read. */
  note: (what: string) => void
  /** The file says itself that it lacks records of its source. */
  markIncomplete: () => void
}

/** Ends the load with the reason why the file cannot be read. */
export type RejectFile = (what: string) => never

/** What the files of a source look like. */
export interface Layout {
  columns: Columns
  banner?: RegExp
}
