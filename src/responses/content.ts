/** The content of a record, of a page and of a list in each format. */
import type { Export } from "../db/reader/export-reader.ts"
import type { Release } from "../db/reader/releases.ts"
import { createRecordSink, type RowEncoder } from "../db/reader/rows.ts"
import type { AddShapes, WriteShape } from "../db/reader/shapes.ts"
import { atomFeed } from "../http/atom.ts"
import { codedBody } from "../http/content-coding.ts"
import { linkHeader, type PageMeta } from "../http/page.ts"
import { type ParquetColumn, parquetFile } from "../http/parquet.ts"
import { queryText } from "../http/query-string.ts"
import { pick, type Readable, type ResourceRecord } from "../resources/resource.ts"
import { delimitedWriter } from "../text/delimited.ts"
import {
  featuresOf,
  geometryWriter,
  geoParquetMetadata,
  hasGeometry,
  jsonWriter,
  openCollection,
} from "./geometries.ts"
import type { ListPlan, RecordPlan } from "./plan.ts"
import {
  type ContentHeaders,
  contentOf,
  type ResponseContent,
  type Validators,
} from "./represent.ts"

type Records = readonly ResourceRecord[]

export const recordContent = (
  plan: RecordPlan,
  validators: Validators,
  record: ResourceRecord,
): ResponseContent => contentOf(validators, plan.format, {}, codedBody(recordText(plan, record)))

/** The body of a record. */
export const recordText = (plan: RecordPlan, record: ResourceRecord): string =>
  plan.format === "geojson" ? featuresOf(plan, [record]) : `{"data":${jsonWriter(plan)(record)}}`

export function pageContent(
  plan: ListPlan,
  validators: Validators,
  { records, meta }: { records: Records; meta: PageMeta },
  baseUrl: string,
): ResponseContent {
  const headers = {
    ...exportHeaders(plan, meta.total),
    // A feed has no other pages.
    ...(plan.format !== "atom" && {
      "X-Total-Pages": String(meta.total_pages),
      Link: linkHeader(`${baseUrl}${plan.path}`, plan.canonical, meta),
    }),
  }
  const text = pageText(plan, validators, { records, meta }, baseUrl)
  return contentOf(validators, plan.format, headers, codedBody(text))
}

/** The body of a page. */
export function pageText(
  plan: ListPlan,
  validators: Validators,
  { records, meta }: { records: Records; meta: PageMeta },
  baseUrl: string,
): string {
  if (plan.format === "json")
    return `{"data":[${records.map(jsonWriter(plan))}],"meta":${JSON.stringify(meta)}}`
  if (plan.format === "geojson")
    return `${openCollection(meta.total, records.length)}\n${featuresOf(plan, records)}\n]}`
  const { feed } = plan.endpoint
  if (plan.format !== "atom" || !feed) return textOfRecords(plan, records)
  const query = plan.canonical.filter(([name]) => name !== "format")
  const publishedAt = new Date(validators["Last-Modified"] ?? 0)
  return atomFeed(feed, records, { baseUrl, path: plan.path, query, publishedAt })
}

/** Every record of a short list. */
export async function wholeContent(
  plan: ListPlan,
  validators: Validators,
  records: Records,
): Promise<ResponseContent> {
  const body =
    plan.format === "parquet"
      ? { bytes: await parquetOf(plan, records), coded: null }
      : codedBody(textOfRecords(plan, records))
  return contentOf(validators, plan.format, exportHeaders(plan, records.length), body)
}

/** The headers of every export. */
export const exportHeaders = (plan: ListPlan, total: number): ContentHeaders => ({
  ...fileName(plan),
  "X-Total-Count": String(total),
})

const fileName = ({ format, shown }: ListPlan): ContentHeaders =>
  format === "json" || format === "atom" || format === "geojson"
    ? {}
    : { "Content-Disposition": `attachment; filename="${shown.name}.${format}"` }

type Bytes = Uint8Array<ArrayBuffer>

/** Records that are read, or encoded, at a time. */
export const recordsPerChunk = 2_000

/** Reads a list with encoders of one kind; null where its parent does not exist. */
type ReadRows = <T>(newEncoder: () => RowEncoder<T>) => Promise<Export<T> | null>

const utf8 = new TextEncoder()

interface EncodedExport {
  plan: ListPlan
  release: Release
  sources: () => Promise<Records>
  addShapes: (records: Records, write: WriteShape) => ReturnType<AddShapes>
  read: ReadRows
}

/** Every record of a list, chunk by chunk. `head` comes before the rows. */
export async function encodedExport(options: EncodedExport) {
  const { plan, read } = options
  const delimited = delimitedFormat(plan)
  if (delimited && !hasGeometry(plan)) {
    const found = await read(delimited.newEncoder)
    return found && { head: delimited.head, ...found }
  }
  const found = await read(() => recordEncoder(plan))
  if (!found) return null
  const writer = await exportWriter(options, found.total)
  const chunks = writtenChunks(options, found.chunks, writer)
  return { head: writer.head, total: found.total, chunks }
}

/** A chunk is divided where its shapes take much memory. */
async function* writtenChunks(
  { plan, addShapes }: EncodedExport,
  chunks: Export<Records>["chunks"],
  { add, end }: ExportWriter,
) {
  const write = hasGeometry(plan) && (await geometryWriter(plan.format))
  for await (const { content } of chunks) {
    for await (const records of write ? addShapes(content, write) : [content])
      yield { records: records.length, content: add(records) }
  }
  if (end) yield { records: 0, content: end() }
}

interface ExportWriter {
  head: string
  add: (records: Records) => Bytes
  end?: () => Bytes
}

/** Writes a list from records. */
async function exportWriter(
  { plan, release, sources }: EncodedExport,
  total: number,
): Promise<ExportWriter> {
  if (plan.format === "parquet") {
    const listed = sourcesOf(plan.shown, await sources())
    const file = await parquetFile(columnsOf(plan), {
      release: String(release.id),
      query: queryOf(plan),
      licences: JSON.stringify(listed.map((each) => pick(each, licenceFields))),
      ...(hasGeometry(plan) && { geo: geoParquetMetadata(listed, release.id) }),
    })
    return { head: "", ...file }
  }
  if (plan.format === "geojson") {
    let separator = ""
    const add = (records: Records) => {
      const text = separator + featuresOf(plan, records)
      separator = ",\n"
      return utf8.encode(text)
    }
    return { head: `${openCollection(total, total)}\n`, add, end: () => utf8.encode("\n]}") }
  }
  const { head, rows } = textFormat(plan)
  return { head, add: (records) => utf8.encode(rows(records)) }
}

const licenceFields = ["source", "licence", "attribution"]

/** The sources of a resource or, for records that come from several resources, of all. */
function sourcesOf({ name }: Readable, sources: Records): Records {
  const own = sources.filter(({ resource }) => resource === name)
  return own.length > 0 ? own : sources
}

const queryOf = ({ path, canonical }: ListPlan): string => `${path}?${queryText(canonical)}`

/** The records as a whole Parquet file. */
async function parquetOf(plan: ListPlan, records: Records): Promise<Bytes> {
  const file = await parquetFile(columnsOf(plan), { query: queryOf(plan) })
  return Buffer.concat([file.add(records), file.end()])
}

/** The records in a format of text. */
function textOfRecords(plan: ListPlan, records: Records): string {
  const { head, rows } = textFormat(plan)
  return head + rows(records)
}

/** Rows with a header, or lines of JSON. */
function textFormat(plan: ListPlan) {
  const json = jsonWriter(plan)
  const rows = (records: Records) => records.map((each) => `${json(each)}\n`).join("")
  return delimitedFormat(plan) ?? { head: "", rows }
}

/** Null for other formats. */
function delimitedFormat(plan: ListPlan) {
  const { format, formula_guard: formulaGuard, bom } = plan
  if (format !== "csv" && format !== "tsv") {
    // A further format needs a writer of its own.
    format satisfies "ndjson" | "json" | "atom" | "parquet" | "geojson"
    return null
  }
  const { header, rows, newEncoder } = delimitedWriter(format, columnsOf(plan), { formulaGuard })
  const head = (bom ? "\uFEFF" : "") + header
  return { head, rows, newEncoder: () => picking(plan, newEncoder()) }
}

/** Decodes the cells, for a format that is written from records. A feature has fields beside its properties. */
function recordEncoder({ shown, fields, format }: ListPlan): RowEncoder<Records> {
  const { records, ...sink } = createRecordSink(shown)
  const chosen = format === "geojson" ? undefined : fields
  return {
    ...sink,
    content: () => (chosen ? records.map((each) => pick(each, chosen)) : records),
  }
}

/** Encodes the cells of the requested fields alone, in their order. */
function picking<T>({ shown, fields }: ListPlan, encoder: RowEncoder<T>): RowEncoder<T> {
  if (!fields) return encoder
  const names = Object.keys(shown.fields)
  const places = fields.map((name) => names.indexOf(name))
  let cells: (readonly [text: Buffer, start: number, end: number] | null)[] = []
  return {
    cell: (...cell) => cells.push(cell),
    emptyCell: () => cells.push(null),
    endRow: () => {
      for (const place of places) {
        const cell = cells[place]
        if (cell) encoder.cell(...cell)
        else encoder.emptyCell()
      }
      encoder.endRow()
      cells = []
    },
    content: encoder.content,
  }
}

function columnsOf({ shown, fields }: ListPlan): ParquetColumn[] {
  const declared: Readable["fields"] = shown.fields
  return (fields ?? Object.keys(declared)).map((name) => {
    const { schema, nullable = true } = declared[name] ?? {}
    return { name, nullable, type: columnTypes[schema?.format ?? schema?.type] ?? "text" }
  })
}

/** By the format or, without one, the type of a field. Any other is text. */
const columnTypes: Readonly<Record<string, ParquetColumn["type"]>> = {
  date: "date",
  "date-time": "instant",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  object: "geometry",
}
