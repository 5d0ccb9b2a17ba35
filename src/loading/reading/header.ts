/**
 * Finds the header of a table among its first records. What precedes it are titles: lines that a
 * person or a program has written above the table, or the banner that the source declares.
 */
import { hasRequired, knownColumns } from "../../sources/columns.ts"
import { excerpt } from "../../text/excerpt.ts"
import { matchHeader } from "./named-rows.ts"
import type { Layout, RejectFile, TableRecord } from "./row.ts"

/** How many records may precede the header. */
export const maxTitles = 20
const maxTitlesShown = 5

/** The names of a table's columns in its source, null for one to ignore. */
export interface Header {
  names: (string | null)[]
  /** The number of columns up to the last that has a name in the file. */
  named: number
}

/** Reads the records up to the header, and no further where it is found. */
export async function readHeader(
  records: AsyncGenerator<TableRecord>,
  layout: Layout,
  rejectFile: RejectFile,
  note: (what: string) => void,
): Promise<Header> {
  const before: TableRecord[] = []
  while (before.length <= maxTitles) {
    const { done, value } = await records.next()
    if (done) break
    if (isHeader(layout, value)) {
      const titles = before.filter((record) => !isBanner(layout, record)).map(textOf)
      if (titles.length > 0) note(describeTitles(titles))
      return headerOf(value.cells ?? [], layout, rejectFile, note)
    }
    before.push(value)
  }
  const header = nearestHeader(before, layout)
  if (header) return headerOf(header, layout, rejectFile, note)
  const malformed = before.find(({ error }) => error !== undefined)
  const why = malformed ? `; line ${malformed.line}: ${malformed.error}` : ""
  return rejectFile(`it has no header${why}`)
}

/** Whether a record has every column that the source requires. */
export const isHeader = ({ columns }: Layout, { cells }: TableRecord): boolean =>
  cells !== undefined && hasRequired(columns, cells)

function headerOf(
  cells: readonly string[],
  layout: Layout,
  rejectFile: RejectFile,
  note: (what: string) => void,
): Header {
  const written = withoutBlankEnd(cells)
  const names = matchHeader(layout, written, rejectFile, note)
  return { names: [...names, ...cells.slice(written.length).map(() => null)], named: names.length }
}

/**
 * Of records none of which is the header, the first that has most of its columns; undefined where
 * none has any and the header may be one that cannot be parsed.
 */
function nearestHeader(records: readonly TableRecord[], layout: Layout): string[] | undefined {
  const candidates = records
    .filter((record) => !isBanner(layout, record))
    .map(({ cells }) => cells ?? [])
    .filter((cells) => cells.length > 0)
    .map((cells) => ({ cells, known: knownColumns(layout.columns, cells) }))
  const most = Math.max(...candidates.map(({ known }) => known))
  if (most === 0 && records.some(({ error }) => error !== undefined)) return undefined
  return candidates.find(({ known }) => known === most)?.cells
}

export function withoutBlankEnd(cells: readonly string[]): readonly string[] {
  let length = cells.length
  while (length > 0 && cells[length - 1]?.trim() === "") length--
  return length === cells.length ? cells : cells.slice(0, length)
}

const isBanner = ({ banner }: Layout, { cells }: TableRecord): boolean =>
  banner !== undefined && cells !== undefined && banner.test(cells.join(","))

const textOf = ({ cells, text }: TableRecord): string =>
  cells === undefined ? text.trim() : cells.filter((cell) => cell.trim() !== "").join(", ")

function describeTitles(titles: readonly string[]): string {
  const count = titles.length === 1 ? "1 line" : `${titles.length} lines`
  const shown = titles.slice(0, maxTitlesShown).map((title) => `"${excerpt(title, 60)}"`)
  const more = titles.length > maxTitlesShown ? ` and ${titles.length - maxTitlesShown} more` : ""
  return `${count} above the header ${titles.length === 1 ? "was" : "were"} skipped: ${shown.join(", ")}${more}`
}
