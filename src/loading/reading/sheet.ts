/** Reads a sheet of a workbook as records, one for each row that has a value. */
import { type CellFormat, isNumber, numberText } from "./cell-formats.ts"
import type { TableRecord } from "./row.ts"
import { parseXml } from "./xml.ts"

/** What the cells of all sheets refer to. */
export interface SharedParts {
  strings: readonly string[]
  /** By the index that a cell names. */
  formats: readonly CellFormat[]
  countsFrom1904: boolean
}

/** As many as Excel has. */
const maxColumns = 16_384
const maxRows = 1_048_576
/** With those that are left out before others: few bytes can be very many cells. */
const maxCells = 200_000_000
export const maxTextLength = 4_000_000

interface OpenCell {
  column: number
  reference: string
  type: string
  style: number
  value: string
  hasValue: boolean
  hasFormula: boolean
}

/**
 * @param onMerged receives the references of merged cells (`A1:B2`)
 */
export async function* sheetRecords(
  bytes: AsyncIterable<Uint8Array>,
  shared: SharedParts,
  reject: (why: string) => never,
  onMerged: (reference: string) => void = () => {},
): AsyncGenerator<TableRecord> {
  let records: TableRecord[] = []
  let line = 0
  let cells: string[] = []
  let lastColumn = -1
  let rowCount = 0
  let cellCount = 0
  let faults: Map<number, string> | undefined
  let cell: OpenCell | undefined
  /** Whether text belongs to the cell's value. */
  let isValue = false
  let phonetic = 0

  const handlers = {
    open(name: string, attributes: Readonly<Record<string, string>>) {
      if (name === "row") {
        line = attributes.r === undefined ? line + 1 : Number(attributes.r)
        if (!Number.isSafeInteger(line)) reject("a row has no number")
        if (++rowCount > maxRows) reject("it has too many rows")
        cells = []
        lastColumn = -1
        faults = undefined
      } else if (name === "c") {
        cell = openCell(attributes, line, lastColumn + 1, reject)
        if (cell.column <= lastColumn) reject(`the cells of row ${line} are not in their order`)
        lastColumn = cell.column
        if (++cellCount > maxCells) reject("it has too many cells")
      } else if (name === "mergeCell") onMerged(attributes.ref ?? "")
      else if (name === "rPh") phonetic++
      else if (cell && name === "f") cell.hasFormula = true
      else if (cell && (name === "v" || (name === "t" && phonetic === 0))) {
        cell.hasValue = true
        isValue = true
      }
    },
    text(text: string) {
      if (!cell || !isValue) return
      cell.value += text
      if (cell.value.length > maxTextLength) reject("a text is too long")
    },
    close(name: string) {
      if (name === "v" || name === "t") isValue = false
      else if (name === "rPh") phonetic--
      else if (name === "c" && cell) {
        const read = readCell(cell, shared)
        if (read.text !== "") {
          cellCount += cell.column - cells.length
          while (cells.length < cell.column) cells.push("")
          cells[cell.column] = read.text ?? ""
        }
        if (read.fault !== undefined) {
          faults ??= new Map()
          faults.set(cell.column, `${read.fault} (cell ${cell.reference})`)
        }
        cell = undefined
      } else if (name === "row" && (faults || cells.some((text) => text.trim() !== ""))) {
        records.push(faults ? { line, cells, faults } : { line, cells })
      }
    },
  }
  for await (const _ of parseXml(bytes, handlers, reject)) {
    const read = records
    records = []
    yield* read
  }
}

function openCell(
  { r: reference, t: type = "n", s: style = "0" }: Readonly<Record<string, string>>,
  line: number,
  next: number,
  reject: (why: string) => never,
): OpenCell {
  const column = reference === undefined ? next : columnOf(reference)
  if (column < 0) reject(`a cell of row ${line} has no column`)
  if (column >= maxColumns) reject("a row has too many columns")
  return {
    column,
    reference: reference ?? `${column + 1} of row ${line}`,
    type,
    style: Number(style),
    value: "",
    hasValue: false,
    hasFormula: false,
  }
}

/** `A1` is 0, `AA1` is 26; negative for what is no reference. */
export function columnOf(reference: string): number {
  let column = 0
  for (let at = 0; at < reference.length; at++) {
    const letter = reference.charCodeAt(at) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
  }
  return column - 1
}

type CellValue = { text: string; fault?: never } | { fault: string; text?: never }

function readCell(cell: OpenCell, { strings, formats, countsFrom1904 }: SharedParts): CellValue {
  const { type, style, value, hasValue, hasFormula } = cell
  if (!hasValue)
    return hasFormula ? { fault: "has a formula without a stored value" } : { text: "" }
  switch (type) {
    case "s": {
      const text = strings[Number(value)]
      return text === undefined
        ? { fault: "refers to a text that the workbook does not have" }
        : { text }
    }
    case "str":
    case "inlineStr":
      return { text: unescaped(value) }
    case "d":
      return { text: value }
    case "b":
      return { text: value === "1" || value === "true" ? "TRUE" : "FALSE" }
    case "e":
      return { fault: `is the error ${value}` }
    default: {
      if (value === "") return { text: "" }
      const format = formats[style] ?? "number"
      const text = numberText(value, format, countsFrom1904)
      const what = isNumber(value) ? "date" : "number"
      return text === undefined ? { fault: `is not a ${what}: ${value.slice(0, 40)}` } : { text }
    }
  }
}

/** Characters that XML does not have are written as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-F]{4})_/gi, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text
