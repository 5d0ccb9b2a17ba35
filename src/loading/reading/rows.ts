/**
 * A file's rows, whatever its format: CSV, TSV, NDJSON, GeoJSON and other JSON documents, and dBase
 * are recognised by how they begin.
 */
import type { FileFormat } from "../../sources/source.ts"
import { isDbase, readDbase } from "./dbase.ts"
import { foreignText } from "./foreign-formats.ts"
import { peek } from "./input.ts"
import { readDocument, readNdjson } from "./json.ts"
import type { InputFile, Reading, Row } from "./row.ts"
import { readTable, separatorOf } from "./table.ts"
import { decodedText } from "./text.ts"

export interface OpenedRows {
  format: FileFormat
  /** What rows are numbered by. */
  counts: "lines" | "features" | "records"
  /** Throws `LoadError` where the file cannot be read. */
  batches: AsyncGenerator<Row[]>
}

/** How many bytes, or characters, of a file its format is recognised by. */
const startLength = 16_384

/** Refuses a file that is not a table; header and rows are checked as they are read. */
export async function openRows(
  { bytes, reject }: InputFile,
  given: Omit<Reading, "reject">,
): Promise<OpenedRows> {
  const reading = { ...given, reject }
  const file = await peek(bytes(), startLength)
  const firstBytes = Buffer.concat(file.parts)
  const opened = (
    format: FileFormat,
    counts: OpenedRows["counts"],
    rows: AsyncGenerator<Row>,
  ): OpenedRows => ({ format, counts, batches: inBatches(rows) })
  if (isDbase(firstBytes)) {
    return opened("dbase", "records", readDbase(file.all, reading))
  }
  const text = await peek(decodedText(file.all, firstBytes, reading), startLength)
  const start = text.parts.join("").slice(0, startLength)
  const foreign = foreignText(start)
  if (foreign) reject(foreign)
  if (isDocument(start.trimStart())) {
    const rows = readDocument(text.all, reading)
    return start.trimStart().startsWith("[")
      ? opened("json", "records", rows)
      : opened("geojson", "features", rows)
  }
  if (/^\s*\{/.test(start)) {
    return opened("ndjson", "lines", readNdjson(text.all, reading))
  }
  const separator = separatorOf(start, reading.columns)
  if (separator === ";") reading.note("its values are separated by semicolons")
  const rows = readTable(text.all, separator, reading)
  return opened(separator === "\t" ? "tsv" : "csv", "lines", rows)
}

/**
 * Whether a text is one JSON document of many records. An object is one where it begins like a
 * FeatureCollection or like the response of an ArcGIS service; any other has a record on each line.
 */
const isDocument = (text: string): boolean =>
  text.startsWith("[") ||
  (text.startsWith("{") &&
    (/"type"\s*:\s*"FeatureCollection"|"features"\s*:\s*\[/.test(text) ||
      /^\{\s*"(displayFieldName|objectIdFieldName|fieldAliases|geometryType)"/.test(text)))

const batchSize = 1000

/** What follows costs less for many rows at once. */
async function* inBatches(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
