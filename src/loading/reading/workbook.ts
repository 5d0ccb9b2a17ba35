/** Reads the table in an Excel workbook: one sheet of it, which `readTable` would read from CSV. */
import { excerpt } from "../../text/excerpt.ts"
import { isHeader, maxTitles, readHeader } from "./header.ts"
import type { Layout, RejectFile, Row, TableRecord } from "./row.ts"
import { columnOf, sheetRecords } from "./sheet.ts"
import { rowReaderBelow } from "./table.ts"
import { type OpenedWorkbook, openWorkbook, type PartReader, type Sheet } from "./workbook-parts.ts"

export async function* readWorkbook(
  part: PartReader,
  sheetName: string | undefined,
  layout: Layout,
  rejectFile: RejectFile,
  note: (what: string) => void,
): AsyncGenerator<Row> {
  const reject = (why: string): never =>
    rejectFile(`it is a damaged workbook: ${excerpt(why, 100)}`)
  const workbook = await openWorkbook(part, reject)
  const recordsOf = ({ name, path }: Sheet, onMerged?: (reference: string) => void) =>
    sheetRecords(part(path) ?? reject(`its sheet "${name}" is missing`), workbook, reject, onMerged)
  const sheet =
    sheetName === undefined
      ? await firstWithColumns(workbook, recordsOf, layout, rejectFile, note)
      : sheetNamed(workbook, sheetName, rejectFile)
  const merged: string[] = []
  const records = recordsOf(sheet, (reference) => {
    if (merged.push(excerpt(reference)) > maxMerged) reject("it has too many merged cells")
  })
  const header = await readHeader(records, layout, rejectFile, note)
  const rowOf = rowReaderBelow(header, layout)
  let firstLine: number | undefined
  for await (const record of records) {
    firstLine ??= record.line
    // A row ends with its last value, which may be before the last column.
    while (record.cells && record.cells.length < header.named) record.cells.push("")
    yield rowOf(record)
  }
  const first = firstLine ?? rejectFile("it has a header but no rows")
  const cells = merged.find((reference) => isOfSeveralRows(reference, first, header.names))
  if (cells !== undefined) {
    rejectFile(
      `its cells ${cells} are merged, so rows below the first have no value of their own; ` +
        "unmerge them and fill in each row",
    )
  }
}

const maxMerged = 1_000_000

/**
 * Of merged cells only the first has a value, although each row shows it. Titles, headers and lines
 * of text may be merged, and so may columns that are not read.
 */
function isOfSeveralRows(
  reference: string,
  firstLine: number,
  names: readonly (string | null)[],
): boolean {
  const [, left = "", top, right = "", bottom] =
    /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/.exec(reference) ?? []
  const isRead = names.slice(columnOf(left), columnOf(right) + 1).some((name) => name !== null)
  return Number(top) >= firstLine && Number(bottom) > Number(top) && isRead
}

function sheetNamed({ sheets }: OpenedWorkbook, wanted: string, rejectFile: RejectFile): Sheet {
  const found = sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const names = sheets.map(({ name }) => `"${name}"`).join(", ")
  return found ?? rejectFile(`it has no sheet "${wanted}"; its sheets are ${excerpt(names, 300)}`)
}

/**
 * The first visible sheet that has a header of the source or, if none has, the first that has rows,
 * which is then refused for its columns.
 */
async function firstWithColumns(
  { sheets }: OpenedWorkbook,
  recordsOf: (sheet: Sheet) => AsyncGenerator<TableRecord>,
  layout: Layout,
  rejectFile: RejectFile,
  note: (what: string) => void,
): Promise<Sheet> {
  const withRows: Sheet[] = []
  const withColumns: Sheet[] = []
  for (const sheet of sheets.filter(({ isHidden }) => !isHidden)) {
    let count = 0
    for await (const record of recordsOf(sheet)) {
      if (++count === 1) withRows.push(sheet)
      if (isHeader(layout, record)) withColumns.push(sheet)
      if (isHeader(layout, record) || count > maxTitles) break
    }
  }
  const [first = withRows[0], ...others] = withColumns
  if (others.length > 0) {
    const names = others.map(({ name }) => `"${name}"`).join(", ")
    const have = others.length === 1 ? "has" : "have"
    note(
      `the sheet "${first?.name}" was read; ${excerpt(names, 300)} ${have} the columns too (--sheet names the one to read)`,
    )
  }
  return first ?? rejectFile("it has no sheet with rows")
}
