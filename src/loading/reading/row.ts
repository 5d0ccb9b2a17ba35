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

/** Ends the load with the reason why the file cannot be read. */
export type RejectFile = (what: string) => never

/** What the files of a source look like. */
export interface Layout {
  columns: Columns
  banner?: RegExp
}
