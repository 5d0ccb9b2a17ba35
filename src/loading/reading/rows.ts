/**
 * A file's rows, whatever its format: CSV, TSV, NDJSON, GeoJSON and other JSON documents, and dBase
 * are recognised by how they begin.
 */
import type { FileFormat } from "../../sources/source.ts"
import { excerpt } from "../../text/excerpt.ts"
import { LoadError } from "../load-error.ts"
import { inBatches } from "./batches.ts"
import { isDbase, readDbase } from "./dbase.ts"
import { readFeatures } from "./features.ts"
import type { InputFile } from "./input.ts"
import { decoded, peekBytes } from "./input-file.ts"
import { readNdjson } from "./ndjson.ts"
import type { Layout, RejectFile, Row } from "./row.ts"
import { readTable } from "./table.ts"

export interface OpenedRows {
  format: FileFormat
  /** What rows are numbered by. */
  counts: "lines" | "features" | "records"
  /** Throws `LoadError` where the file cannot be read. */
  batches: AsyncGenerator<Row[]>
}

/** How many bytes, or characters, of a file its format is recognised by. */
const startLength = 4096

/**
 * Refuses a file that is not a table; header and rows are checked as they are read. `warn` receives
 * what the summary of the load should mention.
 */
export async function openRows(
  file: InputFile,
  layout: Layout,
  warn: (what: string) => void = () => {},
): Promise<OpenedRows> {
  const rejectFile: RejectFile = (what) => {
    throw new LoadError(`Cannot read ${file.name}: ${what}`)
  }
  const { start: firstBytes, all: bytes } = await peekBytes(file.bytes(), startLength)
  if (isDbase(firstBytes)) {
    const rows = readDbase(bytes, file.codePage, layout, rejectFile)
    return { format: "dbase", counts: "records", batches: inBatches(rows) }
  }
  const { start, all } = await peekText(decoded(bytes, file.name))
  const odd = describeNonTable(start)
  if (odd) rejectFile(odd)
  if (isCollection(start)) {
    const batches = inBatches(readFeatures(all, layout, rejectFile, warn))
    return start.trimStart().startsWith("[")
      ? { format: "json", counts: "records", batches }
      : { format: "geojson", counts: "features", batches }
  }
  if (/^\s*\{/.test(start)) {
    const rows = readNdjson(all, layout, rejectFile)
    return { format: "ndjson", counts: "lines", batches: inBatches(rows) }
  }
  const format = isTabSeparated(start) ? "tsv" : "csv"
  const rows = readTable(all, format, layout, rejectFile)
  return { format, counts: "lines", batches: inBatches(rows) }
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

/** Describes a failed download. */
function describeNonTable(start: string): string | undefined {
  const text = start.trim()
  if (text === "") return "it is empty"
  if (text.startsWith("<"))
    return `it looks like a web page or XML, not a table ("${onOneLine(text)}")`
  const isOneLine = !/[\r\n]/.test(text)
  if (isOneLine && !/[,\t{]|^\[/.test(text)) {
    return `it looks like an error message, not a table ("${onOneLine(text)}")`
  }
  return undefined
}

/** By the first lines, as a banner may precede the header; column names contain no commas. */
function isTabSeparated(start: string): boolean {
  const lines = start.split("\n", 4).join("")
  return lines.split("\t").length > lines.split(",").length
}

const onOneLine = (text: string) => excerpt(text.replace(/\s+/g, " "), 60)
