/** Writes Excel workbooks part by part, so that the reader is tested against the format. */
import { zipFile } from "./packed-files.ts"

/** Text, a number, or a cell's attributes and content as XML. */
export type Cell = string | number | null | { attributes?: string; content: string }

/** The indexes of `cellXfs` in the styles below. */
export const styles = { date: 1, dateTime: 2, percent: 3, padded: 4, time: 5, days: 6, month: 7 }

const stylesXml = `<styleSheet><numFmts>
  <numFmt numFmtId="164" formatCode="[$-C09]dd\\/mm\\/yyyy\\ hh:mm;@"/>
  <numFmt numFmtId="165" formatCode="000"/>
  <numFmt numFmtId="166" formatCode="#,##0.00\\ &quot;days&quot;"/>
  <numFmt numFmtId="167" formatCode="mmm yyyy"/>
</numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="9"/>
<xf numFmtId="165"/><xf numFmtId="20"/><xf numFmtId="166"/><xf numFmtId="167"/></cellXfs></styleSheet>`

export interface WorkbookOptions {
  date1904?: boolean
  hidden?: readonly string[]
  /** Of every sheet, as XML. */
  mergedCells?: string
  /** Parts to add, or to write instead. */
  parts?: Readonly<Record<string, string>>
}

export const styled = (style: number, value: number): Cell => ({
  attributes: ` s="${style}"`,
  content: `<v>${value}</v>`,
})

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

const columnOf = (index: number): string =>
  (index >= 26 ? columnOf(Math.floor(index / 26) - 1) : "") + String.fromCharCode(65 + (index % 26))

/** Sheets by name; a row that is null is not written, nor is a cell that is null. */
export function workbookFile(
  sheets: Readonly<Record<string, readonly (readonly Cell[] | null)[]>>,
  { date1904 = false, hidden = [], mergedCells = "", parts = {} }: WorkbookOptions = {},
): Buffer {
  const strings: string[] = []
  const cellXml = (cell: Cell, reference: string): string => {
    if (cell === null) return ""
    if (typeof cell === "number") return `<c r="${reference}"><v>${cell}</v></c>`
    if (typeof cell === "object")
      return `<c r="${reference}"${cell.attributes ?? ""}>${cell.content}</c>`
    if (!strings.includes(cell)) strings.push(cell)
    return `<c r="${reference}" t="s"><v>${strings.indexOf(cell)}</v></c>`
  }
  const sheetXml = (rows: readonly (readonly Cell[] | null)[]) =>
    `<worksheet><sheetData>${rows
      .map((row, y) => {
        const cells = row?.map((cell, x) => cellXml(cell, `${columnOf(x)}${y + 1}`))
        return cells ? `<row r="${y + 1}">${cells.join("")}</row>` : ""
      })
      .join("")}</sheetData>${mergedCells && `<mergeCells>${mergedCells}</mergeCells>`}</worksheet>`
  const names = Object.keys(sheets)
  const sheetParts = Object.fromEntries(
    Object.values(sheets).map((rows, nth) => [`xl/worksheets/sheet${nth + 1}.xml`, sheetXml(rows)]),
  )
  const state = (name: string) => (hidden.includes(name) ? ' state="hidden"' : "")
  const relations = names.map(
    (_, nth) =>
      `<Relationship Id="rId${nth + 1}" Type="http://x/relationships/worksheet" Target="worksheets/sheet${nth + 1}.xml"/>`,
  )
  return zipFile({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": `<?xml version="1.0" encoding="UTF-8"?><workbook xmlns:r="http://r"><workbookPr date1904="${date1904}"/><sheets>${names
      .map(
        (name, nth) =>
          `<sheet name="${escaped(name)}" sheetId="${nth + 1}"${state(name)} r:id="rId${nth + 1}"/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${relations.join("")}<Relationship Id="s" Type="http://x/relationships/sharedStrings" Target="/xl/sharedStrings.xml"/><Relationship Id="t" Type="http://x/relationships/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": stylesXml,
    ...sheetParts,
    "xl/sharedStrings.xml": `<sst>${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join("")}</sst>`,
    ...parts,
  })
}
