/**
 * A file's rows, whatever its format: CSV, TSV, NDJSON, GeoJSON and other JSON documents, dBase and
 * Excel workbooks are recognised by how they begin.
 */
import type { FileFormat } from "../../sources/source.ts"
import { cannotRead } from "../load-error.ts"
import { inBatches } from "./batches.ts"
import { isDbase, readDbase } from "./dbase.ts"
import { readFeatures } from "./features.ts"
import { foreignText } from "./foreign-formats.ts"
import type { InputFile } from "./input.ts"
import { peekBytes } from "./input-file.ts"
import { readNdjson } from "./ndjson.ts"
import type { Layout, RejectFile, Remarks, Row } from "./row.ts"
import { assignedJson, assignmentLength } from "./script.ts"
import { separatorOf } from "./separators.ts"
import { readTable } from "./table.ts"
import { decodedText } from "./text-encoding.ts"

export interface OpenedRows {
  format: FileFormat
  /** What rows are numbered by. */
  counts: "lines" | "features" | "records"
  /** Throws `LoadError` where the file cannot be read. */
  batches: AsyncGenerator<Row[]>
}

/** How many bytes, or characters, of a file its format is recognised by. */
const startLength = 16_384

/**
 * Refuses a file that is not a table; header and rows are checked as they are read. `remarks`
 * receives what the summary of the load should mention; `sheet` is the one of a workbook to read.
 */
export async function openRows(
  file: InputFile,
  layout: Layout,
  remarks: Remarks,
  sheet?: string,
): Promise<OpenedRows> {
  const { note } = remarks
  const rejectFile: RejectFile = (what) => {
    throw cannotRead(file.name, what)
  }
  if (file.workbook) {
    // Loaded for workbooks only, with the XML parser.
    const { readWorkbook } = await import("./workbook.ts")
    const rows = readWorkbook(file.workbook, sheet, layout, rejectFile, note)
    return { format: "xlsx", counts: "lines", batches: inBatches(rows) }
  }
  if (sheet !== undefined)
    rejectFile("it has no sheets, as only Excel workbooks do; leave out --sheet")
  const { start: firstBytes, all: bytes } = await peekBytes(file.bytes(), startLength)
  if (isDbase(firstBytes)) {
    const rows = readDbase(bytes, file.codePage, layout, rejectFile, note)
    return { format: "dbase", counts: "records", batches: inBatches(rows) }
  }
  const text = await peekText(decodedText(bytes, firstBytes, rejectFile, note))
  const skip = assignmentLength(text.start)
  const start = text.start.slice(skip)
  const all = skip > 0 ? assignedJson(text.all, skip, rejectFile) : text.all
  const foreign = foreignText(start)
  if (foreign) rejectFile(foreign)
  if (isCollection(start)) {
    const batches = inBatches(readFeatures(all, layout, rejectFile, remarks))
    return start.trimStart().startsWith("[")
      ? { format: "json", counts: "records", batches }
      : { format: "geojson", counts: "features", batches }
  }
  if (/^\s*\{/.test(start)) {
    const rows = readNdjson(all, layout, rejectFile, note)
    return { format: "ndjson", counts: "lines", batches: inBatches(rows) }
  }
  const separator = separatorOf(start, layout, rejectFile)
  if (separator === ";") note("its values are separated by semicolons")
  const rows = readTable(all, separator, layout, rejectFile, note)
  return { format: separator === "\t" ? "tsv" : "csv", counts: "lines", batches: inBatches(rows) }
}

async function peekText(text: AsyncGenerator<string>) {
  let start = ""
  while (start.length < startLength) {
    const next = await text.next()
    if (next.done) break
    start += next.value
  }
  async function* all(): AsyncGenerator<string> {
    yield start
    yield* text
  }
  return { start: start.slice(0, startLength), all: all() }
}

/**
 * One JSON document of many records. An object is one where it begins like a FeatureCollection or
 * like the response of an ArcGIS service; what else begins with a brace has a record on each line.
 */
function isCollection(start: string): boolean {
  const text = start.trimStart()
  if (text.startsWith("[")) return true
  return (
    text.startsWith("{") &&
    (/"type"\s*:\s*"FeatureCollection"|"features"\s*:\s*\[/.test(text) ||
      /^\{\s*"(displayFieldName|objectIdFieldName|fieldAliases|geometryType)"/.test(text))
  )
}
