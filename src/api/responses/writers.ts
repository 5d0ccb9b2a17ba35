/** Writes a record, a page and a whole list in each format. */
import type { Reader } from "../../data/reader/reader.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import type { Release } from "../../data/reader/releases.ts"
import { createRecordSink, type RowEncoder } from "../../data/reader/rows.ts"
import type { ReadSources } from "../../data/reader/sources.ts"
import { namesInSet, pick, type ResourceRecord } from "../../data/resources/resource.ts"
import { atomFeed } from "../http/atom.ts"
import { codedBody } from "../http/content-coding.ts"
import { delimitedWriter } from "../http/delimited.ts"
import { representations } from "../http/formats.ts"
import { linkHeader, type PageMeta } from "../http/page.ts"
import { type ParquetColumn, parquetFile } from "../http/parquet.ts"
import { queryText } from "../http/query-string.ts"
import { featuresOf, geoParquetMetadata, jsonWriter, openCollection } from "./geometries.ts"
import { type ListQuestion, type Question, type RecordQuestion, shownNames } from "./question.ts"
import {
  type ContentHeaders,
  contentOf,
  type ResponseContent,
  type Validators,
} from "./represent.ts"

type Records = readonly ResourceRecord[]
type Bytes = Uint8Array<ArrayBuffer>

/** The body of a record. */
export const recordText = (question: RecordQuestion, record: ResourceRecord): string =>
  question.format === "geojson"
    ? featuresOf(question, [record])
    : `{"data":${jsonWriter(question)(record)}}`

export interface RecordsPage {
  records: Records
  meta: PageMeta
}

export function pageContent(
  question: ListQuestion,
  validators: Validators,
  page: RecordsPage,
  baseUrl: string,
): ResponseContent {
  const { format, path, canonical } = question
  const headers = {
    ...headersOfList(question, page.meta.total),
    // A feed has no other pages.
    ...(format !== "atom" && {
      "X-Total-Pages": String(page.meta.total_pages),
      Link: linkHeader(`${baseUrl}${path}`, canonical, page.meta, validators["X-Data-Release"]),
    }),
  }
  const text = pageText(question, validators, page, baseUrl)
  return contentOf(validators, format, headers, codedBody(text))
}

/** The body of a page. */
export function pageText(
  question: ListQuestion,
  validators: Validators,
  { records, meta }: RecordsPage,
  baseUrl: string,
): string {
  const { format, endpoint, path, canonical } = question
  if (format === "atom" && endpoint.feed) {
    const query = canonical.filter(([name]) => name !== "format")
    const publishedAt = new Date(validators["Last-Modified"] ?? 0)
    return atomFeed(endpoint.feed, records, { baseUrl, path, query, publishedAt })
  }
  if (format === "json") {
    return `{"data":[${records.map(jsonWriter(question)).join()}],"meta":${JSON.stringify(meta)}}`
  }
  const { head, rows, end } = textWriter(question)
  return head(meta.total, records.length) + rows(records) + end
}

/** Every record of a short list. */
export async function wholeContent(
  question: ListQuestion,
  validators: Validators,
  records: Records,
): Promise<ResponseContent> {
  const { head, add, end } = await writerOf(question, () => ({ query: queryOf(question) }))
  const bytes = Buffer.concat([utf8.encode(head(records.length)), add(records), end()])
  const coded = representations[question.format].isBinary ? null : {}
  const headers = headersOfList(question, records.length)
  return contentOf(validators, question.format, headers, { bytes, coded })
}

/** The headers of every list, a page or the whole. */
export const headersOfList = (question: ListQuestion, total: number): ContentHeaders => ({
  ...fileName(question),
  "X-Total-Count": String(total),
})

const fileName = ({ format, resource }: ListQuestion): ContentHeaders =>
  format === "json" || format === "atom" || format === "geojson"
    ? {}
    : { "Content-Disposition": `attachment; filename="${resource.name}.${format}"` }

const utf8 = new TextEncoder()

/** Every record of a list, chunk by chunk between a head and an end. Null where its parent does not exist. */
export async function encodedExport(
  question: ListQuestion,
  read: ReadOptions,
  { reader, readSources }: { reader: Pick<Reader, "chunks">; readSources: ReadSources },
) {
  const { head, newEncoder, end } = await writerOf(question, async () =>
    metadataOf(question, read.release, (await readSources(read.account)).records),
  )
  const found = await reader.chunks(question.list, { ...read, newEncoder })
  return found && { ...found, head: head(found.total), end }
}

interface Writer {
  head: (total: number) => string
  add: (records: Records) => Bytes
  newEncoder: () => RowEncoder
  end: () => Bytes
}

type Metadata = Readonly<Record<string, string>>

/** Writes every record of a list. @param metadata of a Parquet file */
async function writerOf(
  question: ListQuestion,
  metadata: () => Metadata | Promise<Metadata>,
): Promise<Writer> {
  if (question.format === "parquet") {
    const { add, end } = await parquetFile(columnsOf(question), await metadata())
    return { head: () => "", add, newEncoder: () => recordEncoder(question, add), end }
  }
  const { head, rows, end, newEncoder } = textWriter(question)
  const add = (records: Records) => utf8.encode(rows(records))
  return {
    head: (total) => head(total, total),
    add,
    newEncoder: newEncoder ?? (() => recordEncoder(question, add)),
    end: () => utf8.encode(end),
  }
}

function metadataOf(question: ListQuestion, { id }: Release, sources: Records): Metadata {
  const own = sources.filter(({ resource }) => resource === question.resource.name)
  // The records of some lists come from several resources.
  const listed = own.length > 0 ? own : sources
  return {
    release: String(id),
    query: queryOf(question),
    licences: JSON.stringify(listed.map((each) => pick(each, licenceFields))),
    ...(question.fieldSet === "all with shapes" && { geo: geoParquetMetadata(listed, id) }),
  }
}

const licenceFields = ["source", "licence", "attribution"]

const queryOf = ({ path, canonical }: ListQuestion): string => `${path}?${queryText(canonical)}`

interface TextWriter {
  head: (total: number, returned: number) => string
  rows: (records: Records) => string
  end: string
  /** Encodes cells without a record of each row. */
  newEncoder?: () => RowEncoder
}

/** Writes records as text, part by part, between a head and an end. */
function textWriter(question: ListQuestion): TextWriter {
  const { format, formulaGuard, bom } = question
  if (format === "csv" || format === "tsv") {
    const writer = delimitedWriter(format, columnsOf(question), { formulaGuard })
    const head = (bom ? "\uFEFF" : "") + writer.header
    const newEncoder = () => picking(question, writer.newEncoder())
    return { head: () => head, rows: writer.rows, end: "", newEncoder }
  }
  if (format === "geojson") {
    let separator = ""
    const rows = (records: Records) => {
      const text = separator + featuresOf(question, records)
      separator = ",\n"
      return text
    }
    return { head: (...counts) => `${openCollection(...counts)}\n`, rows, end: "\n]}" }
  }
  // A further format needs a writer of its own.
  format satisfies "ndjson" | "json" | "atom" | "parquet"
  const json = jsonWriter(question)
  const rows = (records: Records) => records.map((each) => `${json(each)}\n`).join("")
  return { head: () => "", rows, end: "" }
}

/** Decodes the cells, for a format that is written from records. */
function recordEncoder(question: ListQuestion, add: Writer["add"]): RowEncoder {
  const { resource, fieldSet } = question
  const names = namesInSet(resource, fieldSet)
  const { records, ...sink } = createRecordSink({ resource, names })
  return { ...sink, content: () => add(picked(question, records)) }
}

/** The records with the requested fields. A feature has the key and the geometry beside them. */
export const picked = ({ fields, format }: Question, records: Records) =>
  fields && format !== "geojson" ? records.map((each) => pick(each, fields)) : records

/** Encodes only the cells of the requested fields, in their order. */
function picking({ resource, fieldSet, fields }: ListQuestion, encoder: RowEncoder): RowEncoder {
  if (!fields) return encoder
  const names = namesInSet(resource, fieldSet)
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

const columnsOf = (question: ListQuestion): ParquetColumn[] =>
  shownNames(question).map((name) => {
    const { schema, nullable = true } = question.resource.fields[name] ?? {}
    return { name, nullable, type: columnTypes[schema?.format ?? schema?.type] ?? "text" }
  })

/** By the format or, without one, the type of a field. Any other is text. */
const columnTypes: Readonly<Record<string, ParquetColumn["type"]>> = {
  date: "date",
  "date-time": "instant",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  object: "geometry",
}
