/**
 * CSV (RFC 4180) and TSV: a header row of field names, then a row per record. Unknown values are
 * empty. In TSV, which has no quoting, a run of tabs and line breaks inside a value is one space.
 * `delimited-encoder.ts` writes the same rows from bytes; a test compares the two.
 */
import { guardFormula, quoteCell } from "../text/csv-cell.ts"

export type DelimitedFormat = "csv" | "tsv"

export interface Column {
  name: string
  type: "string" | "number" | "boolean"
  /** Whether its values are free text, which a spreadsheet could run as a formula. */
  freeText: boolean
}

export const byteOrderMark = "\uFEFF"

export const delimitedType = (format: DelimitedFormat): string =>
  format === "csv"
    ? "text/csv; charset=utf-8; header=present"
    : "text/tab-separated-values; charset=utf-8; header=present"

/** Writes rows of one format and one set of columns. */
export function delimitedWriter(
  format: DelimitedFormat,
  columns: readonly Column[],
  options: { formulaGuard: boolean },
) {
  const separator = format === "csv" ? "," : "\t"
  const escapeCell = format === "csv" ? quoteCell : flatten
  const cells = columns.map(({ name, freeText }) => {
    const guard = freeText && options.formulaGuard ? guardFormula : unchanged
    return (record: Readonly<Record<string, unknown>>): string => {
      const value = record[name]
      if (value === null || value === undefined) return ""
      if (typeof value !== "string") return String(value)
      return escapeCell(guard(value))
    }
  })
  return {
    header: `${columns.map(({ name }) => name).join(separator)}\r\n`,
    row: (record: Readonly<Record<string, unknown>>): string =>
      `${cells.map((cell) => cell(record)).join(separator)}\r\n`,
  }
}

const unchanged = (text: string): string => text

const flatten = (value: string): string => value.replace(/[\t\r\n]+/g, " ")
