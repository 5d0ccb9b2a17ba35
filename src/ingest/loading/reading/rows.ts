/**
 * Reads the rows of a file. The beginning of the file shows its format: CSV, TSV, NDJSON, GeoJSON and other
 * JSON documents, or dBase.
 */
import { wgs84 } from "../../../data/places/reference-system.ts"
import type { FileFormat } from "../../sources/source.ts"
import { addNote, type FileFigures, newFileFigures } from "../figures.ts"
import { LoadError, OtherColumns } from "../load-error.ts"
import { isDbase, readDbase } from "./dbase.ts"
import { foreignText } from "./foreign-formats.ts"
import { openInputs, peek } from "./input.ts"
import { readDocument, readNdjson } from "./json.ts"
import type { InputFile, Row, TableReading } from "./row.ts"
import { type ShapeOf, shapeReader } from "./shapes.ts"
import { readTable, separatorOf } from "./table.ts"
import { decodedText } from "./text.ts"

/** The unit in which rows are numbered, if not lines. */
const countedBy: Partial<Record<FileFormat, "features" | "records">> = {
  json: "records",
  geojson: "features",
  dbase: "records",
}

/** How many bytes, or characters, show the format of a file. */
const startLength = 16_384

interface TablesReading extends Omit<TableReading, "figures"> {
  maxUnpackedBytes?: number | undefined
}

/**
 * The tables of a file. Of several in a zip file, those without the columns of the source are only noted.
 * @throws LoadError where no table has the columns
 */
export async function* openTables(path: string, { maxUnpackedBytes, ...reading }: TablesReading) {
  let last: FileFigures | undefined
  let mismatch: LoadError | undefined
  const unread: string[] = []
  for await (const input of openInputs(path, maxUnpackedBytes)) {
    const figures = newFileFigures(input.name)
    const table = await openRows(input, { ...reading, figures }).catch(async (error: unknown) => {
      if (!(error instanceof LoadError && error.cause instanceof OtherColumns)) throw error
      await input.finish()
      mismatch ??= error
      unread.push(`${input.name} was not read: ${error.cause.message}`)
    })
    if (!table) continue
    last = figures
    yield { input, figures, ...table }
  }
  if (last === undefined) throw mismatch
  for (const remark of unread) addNote(last, remark)
}

/** Rejects a file that is not a table, or lacks columns. Reading the batches checks its rows. */
async function openRows({ bytes, companion, refuse }: InputFile, given: TableReading) {
  const reading = { ...given, refuse }
  const file = await peek(bytes(), startLength)
  const firstBytes = Buffer.concat(file.parts)
  const shapeOf = shapeReader(reading, () => wgs84)
  const opened = async (format: FileFormat, rows: AsyncGenerator<Row>) => {
    // The first batch shows the columns.
    const { all: batches } = await peek(inBatches(rows, shapeOf), 1)
    const counted = countedBy[format]
    if (counted) given.figures.counted = counted
    return { format, batches }
  }
  if (isDbase(firstBytes)) return opened("dbase", readDbase(file.all, reading, companion))
  const text = await peek(decodedText(file.all, firstBytes, reading), startLength)
  const start = text.parts.join("").slice(0, startLength)
  const foreign = foreignText(start)
  if (foreign) refuse(foreign)
  if (isDocument(start.trimStart())) {
    const format = start.trimStart().startsWith("[") ? "json" : "geojson"
    return opened(format, readDocument(text.all, reading))
  }
  if (/^\s*\{/.test(start)) {
    return opened("ndjson", readNdjson(text.all, reading, shapeOf))
  }
  const separator = separatorOf(start, reading.source.columns)
  if (separator === ";") addNote(given.figures, "its values are separated by semicolons")
  return opened(separator === "\t" ? "tsv" : "csv", readTable(text.all, separator, reading))
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
const batchBytes = 4 * 1024 ** 2

/**
 * Later steps cost less for many rows at once, but one shape may take megabytes.
 * @param shapeOf reads the shapes that rows have in a column
 */
async function* inBatches(rows: AsyncIterable<Row>, shapeOf: ShapeOf): AsyncGenerator<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for await (const row of rows) {
    batch.push(row)
    if (row.error === undefined) {
      row.shape ??= shapeOf(row.raw.geometry)
      // Also of a shape that is left out, its text may take megabytes.
      if (row.raw.geometry !== undefined) row.raw = { ...row.raw, geometry: undefined }
      bytes += row.shape?.staged?.coordinates.length ?? 0
    }
    if (batch.length < batchSize && bytes < batchBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
