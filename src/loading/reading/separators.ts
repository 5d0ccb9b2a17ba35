/** Finds out what separates the values of a table, by the names of its columns. */
import { hasRequired } from "../../sources/columns.ts"
import type { Layout, RejectFile } from "./row.ts"

export type Separator = "," | ";" | "\t"

const nouns: Readonly<Record<Separator, string>> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
}
const separators: readonly Separator[] = [",", ";", "\t"]

export const nameOf = (separator: Separator): string => nouns[separator]

/**
 * The one that makes a line the header of the source. If none does, the file is refused for its
 * columns; they are shown by the separator of which its first lines have most.
 */
export function separatorOf(start: string, { columns }: Layout, rejectFile: RejectFile): Separator {
  const lines = start.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "")
  for (const line of lines) {
    const [separator, other] = separators.filter((each) => hasRequired(columns, cells(line, each)))
    if (separator && !other) return separator
  }
  const first = lines
    .slice(0, 4)
    .join("\n")
    .replace(/"[^"]*"/g, "")
  const [most, next] = separators
    .map((separator) => ({ separator, count: first.split(separator).length - 1 }))
    .sort((a, b) => b.count - a.count)
  if (!most || !next || most.count === 0) return ","
  if (most.count > next.count) return most.separator
  return rejectFile(
    `its separator is ambiguous: its first lines have as many ${nouns[most.separator]} as ${nouns[next.separator]}`,
  )
}

/** Names of columns contain no separators. */
const cells = (line: string, separator: Separator): string[] =>
  line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"))
