/** Matches the column names of a file with those of its source. */

import { excerpt, firstOf } from "../../../system/text/printable-text.ts"
import { sourceOfColumns } from "../../sources/catalogue.ts"
import { type ColumnMatch, type Columns, layoutOf, matchColumns } from "../../sources/columns.ts"
import type { RawRecord } from "../../sources/source.ts"
import { addNote } from "../figures.ts"
import { OtherColumns } from "../load-error.ts"
import type { FileReading, Row } from "./row.ts"

const maxShown = 10

/** For each column of the header its name in the source, null for one to ignore. */
export function matchHeader(
  { source: { columns }, figures, refuse }: FileReading,
  header: readonly string[],
): (string | null)[] {
  const layout = layoutOf(columns, header)
  const match = matchColumns(layout ?? columns, header)
  if (!("error" in match)) {
    if (match.reported) {
      const ignored = firstOf(match.reported, maxShown, (name) => `"${excerpt(name)}"`)
      addNote(figures, `columns ignored: ${ignored}`)
    }
    return match.names
  }
  const other = layout ? undefined : sourceOfColumns(header)
  const fault = other
    ? `it looks like a file of the source "${other.name}": ${other.description}`
    : match.error
  const cure = other ? "" : ". Check the source in the command, or correct the header"
  return refuse(fault + cure, { cause: new OtherColumns(fault) })
}

/**
 * Reads objects as rows; only the first must have the required columns, and shows the layout. Rows of one file
 * mostly have the same names, which are then matched once.
 */
export function rowReader({
  source: { columns },
}: FileReading): (object: RawRecord, line: number) => Row {
  let anyOf: Columns | undefined
  let lastKeys = ""
  let match: ColumnMatch = { names: [] }
  return (object, line) => {
    const written = Object.keys(object)
    const keys = JSON.stringify(written)
    anyOf ??= withoutRequired(layoutOf(columns, written) ?? columns)
    if (keys !== lastKeys) match = matchColumns(anyOf, written)
    lastKeys = keys
    if ("error" in match) return { line, raw: object, error: match.error, readable: object }
    const raw: Record<string, unknown> = {}
    for (const [index, key] of written.entries()) {
      const name = match.names[index]
      if (name) raw[name] = object[key]
    }
    return { line, raw }
  }
}

const withoutRequired = (layout: Columns): Columns => ({
  ...layout,
  required: [],
  optional: [...layout.required, ...layout.optional],
})
