/**
 * Finds the header of a table among its first records. The records before it are titles that a person or
 * a program has written above the table, or the banner that the source declares.
 */

import { countOf } from "../../../system/text/display.ts"
import { excerpt, firstOf } from "../../../system/text/printable-text.ts"
import { knownColumns, layoutOf } from "../../sources/columns.ts"
import { addNote } from "../figures.ts"
import type { TableRecord } from "./csv-records.ts"
import { matchHeader } from "./named-rows.ts"
import type { FileReading } from "./row.ts"

/** How many records may precede the header. */
const maxTitles = 20
const maxTitlesShown = 5

export type Header = ReturnType<typeof headerOf>

/** Reads the records up to the header. */
export async function readHeader(
  records: AsyncGenerator<TableRecord>,
  reading: FileReading,
): Promise<Header> {
  const before: TableRecord[] = []
  while (before.length <= maxTitles) {
    const { done, value } = await records.next()
    if (done) break
    if (isHeader(reading, value)) {
      const banners = before.filter((record) => isBanner(reading, record))
      for (const { cells } of banners) {
        const stated = reading.source.bannerDate?.(cells.join(","))
        if (stated !== undefined) reading.figures.stated = stated
      }
      const titles = before.filter((record) => !banners.includes(record)).map(textOf)
      if (titles.length > 0) addNote(reading.figures, describeTitles(titles))
      return headerOf(value.cells, reading)
    }
    before.push(value)
  }
  const header = nearestHeader(before, reading)
  if (header) return headerOf(header, reading)
  const malformed = before.find(({ error }) => error !== null)
  const why = malformed ? `; line ${malformed.line}: ${malformed.error}` : ""
  return reading.refuse(`it has no header${why}`)
}

/** Whether a record has every column that the source requires. */
const isHeader = ({ source }: FileReading, { cells, error }: TableRecord): boolean =>
  error === null && layoutOf(source.columns, cells) !== undefined

/**
 * Returns the names of a table's columns in its source, null for one to ignore, and the number of columns up to the
 * last that has a name in the file.
 */
function headerOf(cells: readonly string[], reading: FileReading) {
  const written = withoutBlankEnd(cells)
  const names = matchHeader(reading, written)
  return { names: [...names, ...cells.slice(written.length).map(() => null)], named: names.length }
}

/**
 * The record that is most like a header: the first with the most columns of the source; undefined where
 * none has any and a malformed record may be the header.
 */
function nearestHeader(
  records: readonly TableRecord[],
  reading: FileReading,
): string[] | undefined {
  const candidates = records
    .filter((record) => record.error === null && !isBanner(reading, record))
    .map(({ cells }) => ({ cells, known: knownColumns(reading.source.columns, cells) }))
  const most = Math.max(...candidates.map(({ known }) => known))
  if (most === 0 && records.some(({ error }) => error !== null)) return undefined
  return candidates.find(({ known }) => known === most)?.cells
}

export function withoutBlankEnd(cells: readonly string[]): readonly string[] {
  let length = cells.length
  while (length > 0 && cells[length - 1]?.trim() === "") length--
  return length === cells.length ? cells : cells.slice(0, length)
}

const isBanner = ({ source }: FileReading, { cells, error }: TableRecord): boolean =>
  error === null && (source.banner?.test(cells.join(",")) ?? false)

const textOf = ({ cells, error, text }: TableRecord): string =>
  error === null ? cells.filter((cell) => cell.trim() !== "").join(", ") : text.trim()

function describeTitles(titles: readonly string[]): string {
  const shown = firstOf(titles, maxTitlesShown, (title) => `"${excerpt(title, 60)}"`)
  const were = countOf(titles.length, "line above the header was", "lines above the header were")
  return `${were} skipped: ${shown}`
}
