/** What every reader of a form takes and gives. */
import type { Columns } from "../../sources/columns.ts"
import type { RawRecord } from "../../sources/source.ts"

/**
 * A row and the line of the file on which it begins, or the number of the feature or record that it
 * is. With a `error` it can't be read as a record; `readable` is then what of it could be.
 */
export type Row =
  | { line: number; raw: RawRecord; error?: never }
  | { line: number; raw: unknown; error: string; readable?: RawRecord }

/** Ends the load: the file is not what it should be. */
export type RejectFile = (what: string) => never

/** What a file must look like. */
export interface Layout {
  columns: Columns
  banner?: RegExp
}
