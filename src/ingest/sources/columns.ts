/** Matches a file's header with the columns of a source. */

import { nearestName } from "../../system/text/nearest-name.ts"
import { excerpt } from "../../system/text/printable-text.ts"

export interface Columns {
  required: readonly string[]
  optional: readonly string[]
  /**
   * By name above, if that is not itself a column: its columns in the layouts that a source has had. Of
   * several in a file, the first one here is read.
   */
  spellings?: Readonly<Record<string, readonly string[]>>
  /** An optional column that only files without records of the source have; they need no other column. */
  excludedBy?: string | undefined
  /**
   * Whether a column of another name is an error, or is ignored, or is ignored and named in the summary of
   * the load. Registers have too many other columns to name them.
   */
  others: "refuse" | "ignore" | "report"
  /** Another layout of the source's files, for those that lack a required column of this one. */
  other?: Columns
}

/**
 * For each column of a header its name in the source, null for one to ignore, with the ignored ones to
 * report, if any; or the fault of the header.
 */
export type ColumnMatch = { names: (string | null)[]; reported?: string[] } | { error: string }

/** The layout that a header has: the first whose required columns are all in it. */
export const layoutOf = (columns: Columns, header: readonly string[]): Columns | undefined =>
  hasRequired(columns, header) ? columns : columns.other && layoutOf(columns.other, header)

/** Whether a header has every column that a layout requires. */
export const hasRequired = (columns: Columns, header: readonly string[]): boolean =>
  requiredIn(columns, header).every((name) => isIn(header, columns, name))

const requiredIn = (columns: Columns, header: readonly string[]): readonly string[] =>
  columns.excludedBy !== undefined && isIn(header, columns, columns.excludedBy)
    ? []
    : columns.required

/** The number of the source's columns in a header. */
export const knownColumns = (columns: Columns, header: readonly string[]): number =>
  [...columns.required, ...columns.optional].filter((name) => isIn(header, columns, name)).length

const isIn = (header: readonly string[], columns: Columns, name: string): boolean =>
  spellingsOf(columns, name).some((column) => header.some((written) => isSame(column, written)))

const spellingsOf = ({ spellings }: Columns, name: string) => spellings?.[name] ?? [name]

/** Names are compared regardless of case and surrounding blanks, with those of this layout alone. */
export function matchColumns(columns: Columns, header: readonly string[]): ColumnMatch {
  const spelled = (name: string) => spellingsOf(columns, name)
  const all = [...columns.required, ...columns.optional]
  const names: (string | null)[] = header.map(() => null)
  for (const name of all) {
    const spelling = spelled(name).find((column) => header.some((other) => isSame(column, other)))
    header.forEach((written, index) => {
      if (spelling !== undefined && isSame(spelling, written)) names[index] ??= name
    })
  }
  const missing = requiredIn(columns, header).filter((name) => !names.includes(name))
  const known = all.flatMap(spelled)
  const unknown = header.filter((written) => !known.some((column) => isSame(column, written)))
  const errors = [
    ...known
      .filter((column) => header.filter((written) => isSame(column, written)).length > 1)
      .map((column) => `duplicate column "${column}"`),
    ...(columns.others === "refuse" ? unknown.map((name) => unknownColumn(name, known)) : []),
    ...missing.map((name) => missingColumn(spelled(name), unknown, columns.others)),
  ]
  if (errors.length === 0) {
    return columns.others === "report" && unknown.length > 0
      ? { names, reported: unknown }
      : { names }
  }
  if (missing.length === columns.required.length && missing.length > 1) {
    const expected = all.flatMap((name) => spelled(name).slice(0, 1))
    return { error: noKnownColumns(header, expected) }
  }
  return { error: errors.join("; ") }
}

function unknownColumn(written: string, known: readonly string[]): string {
  if (written.trim() === "") return "a column has no name"
  const near = nearestName(written, known)
  return `unknown column "${excerpt(written)}"${near ? ` (did you mean "${near}"?)` : ""}`
}

function missingColumn(
  spellings: readonly string[],
  unknown: readonly string[],
  others: Columns["others"],
): string {
  const written = spellings.map((name) => `"${name}"`).join(" or ")
  // Where unknown columns are errors, the message already names the misspelled one.
  const near =
    others !== "refuse"
      ? spellings.map((name) => nearestName(name, unknown)).find(Boolean)
      : undefined
  return `column ${written} is missing${near ? ` (did you mean "${excerpt(near)}"?)` : ""}`
}

function noKnownColumns(header: readonly string[], known: readonly string[]): string {
  const found = header.slice(0, 8).map((name) => `"${excerpt(name)}"`)
  return `its columns are not those of this source: found ${found.join(", ")}; expected ${known.join(", ")}`
}

const isSame = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()
