/** Reads the table in an Excel workbook: one sheet of it, which `readTable` would read from CSV. */
import { excerpt } from "../../text/excerpt.ts"
import { isHeader, maxTitles, readHeader } from "./header.ts"
import type { Layout, RejectFile, Row, TableRecord } from "./row.ts"
import { sheetRecords } from "./sheet.ts"
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
  const recordsOf = ({ name, path }: Sheet) =>
    sheetRecords(part(path) ?? reject(`its sheet "${name}" is missing`), workbook, reject)
  const sheet =
    sheetName === undefined
      ? await firstWithColumns(workbook, recordsOf, layout, rejectFile, note)
      : sheetNamed(workbook, sheetName, rejectFile)
  const records = recordsOf(sheet)
  const header = await readHeader(records, layout, rejectFile, note)
  const rowOf = rowReaderBelow(header, layout)
  let isEmpty = true
  for await (const record of records) {
    isEmpty = false
    // A row ends with its last value, which may be before the last column.
    while (record.cells && record.cells.length < header.named) record.cells.push("")
    yield rowOf(record)
  }
  if (isEmpty) rejectFile("it has a header but no rows")
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
