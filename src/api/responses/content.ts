/** The content of a record, of a page and of a list in each format. */
import type { Export } from "../../data/reader/export-reader.ts"
import type { Release } from "../../data/reader/releases.ts"
import { createRecordSink, type RowEncoder } from "../../data/reader/rows.ts"
import { pick, type Readable, type ResourceRecord } from "../../data/resources/resource.ts"
import { atomFeed } from "../http/atom.ts"
import { codedBody } from "../http/content-coding.ts"
import { delimitedWriter } from "../http/delimited.ts"
import { representations } from "../http/formats.ts"
import { linkHeader, type PageMeta } from "../http/page.ts"
import { type ParquetColumn, parquetFile } from "../http/parquet.ts"
import { queryText } from "../http/query-string.ts"
import { featuresOf, geoParquetMetadata, jsonWriter, openCollection } from "./geometries.ts"
import type { ListPlan, Plan, RecordPlan } from "./plan.ts"
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
  const { feed } = plan.endpoint
  if (plan.format === "atom" && feed) {
    const query = plan.canonical.filter(([name]) => name !== "format")
    const publishedAt = new Date(validators["Last-Modified"] ?? 0)
    return atomFeed(feed, records, { baseUrl, path: plan.path, query, publishedAt })
  }
  const { head, rows, end } = textWriter(plan, meta.total, records.length)
  return head + rows(records) + end
}

/** Every record of a short list. */
export async function wholeContent(
  plan: ListPlan,
  validators: Validators,
  records: Records,
): Promise<ResponseContent> {
  const writer = await writerOf(plan, records.length, () => ({ query: queryOf(plan) }))
  const bytes = Buffer.concat([utf8.encode(writer.head), writer.add(records), writer.end()])
  const coded = representations[plan.format].isBinary ? null : {}
  const headers = exportHeaders(plan, records.length)
  return contentOf(validators, plan.format, headers, { bytes, coded })
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

/** Reads a list with encoders of one kind; null where its parent does not exist. */
type ReadRows = <T>(newEncoder: () => RowEncoder<T>) => Promise<Export<T> | null>

const utf8 = new TextEncoder()

interface EncodedExport {
  plan: ListPlan
  release: Release
  sources: () => Promise<Records>
  read: ReadRows
}

/** Every record of a list, chunk by chunk. `head` comes before the rows. */
export async function encodedExport({ plan, release, sources, read }: EncodedExport) {
  const delimited = delimitedFormat(plan)
  if (delimited) {
    const found = await read(delimited.newEncoder)
    return found && { head: delimited.head, ...found }
  }
  const found = await read(() => recordEncoder(plan))
  if (!found) return null
  const { total } = found
  const writer = await writerOf(plan, total, async () => metadataOf(plan, release, await sources()))
  return { head: writer.head, total, chunks: writtenChunks(found.chunks, writer) }
}

async function* writtenChunks(chunks: Export<Records>["chunks"], { add, end }: Writer) {
  for await (const { records, content } of chunks) yield { records, content: add(content) }
  yield { records: 0, content: end() }
}

interface Writer {
  head: string
  add: (records: Records) => Bytes
  end: () => Bytes
}

type Metadata = Readonly<Record<string, string>>

/** Writes every record of a list. @param metadata of a Parquet file */
async function writerOf(
  plan: ListPlan,
  total: number,
  metadata: () => Metadata | Promise<Metadata>,
): Promise<Writer> {
  if (plan.format === "parquet") {
    return { head: "", ...(await parquetFile(columnsOf(plan), await metadata())) }
  }
  const { head, rows, end } = textWriter(plan, total, total)
  return { head, add: (records) => utf8.encode(rows(records)), end: () => utf8.encode(end) }
}

function metadataOf(plan: ListPlan, { id }: Release, sources: Records): Metadata {
  const own = sources.filter(({ resource }) => resource === plan.shown.name)
  // The records of some lists come from several resources.
  const listed = own.length > 0 ? own : sources
  return {
    release: String(id),
    query: queryOf(plan),
    licences: JSON.stringify(listed.map((each) => pick(each, licenceFields))),
    ...(plan.shown.readsShapes && { geo: geoParquetMetadata(listed, id) }),
  }
}

const licenceFields = ["source", "licence", "attribution"]

const queryOf = ({ path, canonical }: ListPlan): string => `${path}?${queryText(canonical)}`

/** Writes records as text, part by part, between a head and an end. */
function textWriter(plan: ListPlan, total: number, returned: number) {
  const delimited = delimitedFormat(plan)
  if (delimited) return { ...delimited, end: "" }
  if (plan.format === "geojson") {
    let separator = ""
    const rows = (records: Records) => {
      const text = separator + featuresOf(plan, records)
      separator = ",\n"
      return text
    }
    return { head: `${openCollection(total, returned)}\n`, rows, end: "\n]}" }
  }
  const json = jsonWriter(plan)
  const rows = (records: Records) => records.map((each) => `${json(each)}\n`).join("")
  return { head: "", rows, end: "" }
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

/** Decodes the cells, for a format that is written from records. */
function recordEncoder(plan: ListPlan): RowEncoder<Records> {
  const { records, ...sink } = createRecordSink(plan.shown)
  return { ...sink, content: () => picked(plan, records) }
}

/** The records with the requested fields. A feature has the key and the geometry beside them. */
export const picked = ({ fields, format }: Pick<Plan, "fields" | "format">, records: Records) =>
  fields && format !== "geojson" ? records.map((each) => pick(each, fields)) : records

/** Encodes only the cells of the requested fields, in their order. */
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
