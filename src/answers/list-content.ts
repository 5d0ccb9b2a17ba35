/** The content of a page or of a whole list in one of the formats. */
import type { RowEncoder } from "../db/reader/rows.ts"
import { atomFeed } from "../http/atom.ts"
import { codedBody } from "../http/content-coding.ts"
import { linkHeader, type PageMeta } from "../http/page.ts"
import { pick, type Readable, type ResourceRecord } from "../resources/resource.ts"
import { type Column, delimitedWriter } from "../text/delimited.ts"
import type { ListPlan } from "./list-plan.ts"
import { type Content, type ContentHeaders, contentOf, type Validators } from "./represent.ts"

type Records = readonly ResourceRecord[]

export function pageContent(
  plan: ListPlan,
  validators: Validators,
  { records, meta }: { records: Records; meta: PageMeta },
  baseUrl: string,
): Content {
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
  const { fields } = plan
  if (plan.format === "json") {
    return JSON.stringify({
      data: fields ? records.map((each) => pick(each, fields)) : records,
      meta,
    })
  }
  if (plan.format !== "atom" || !plan.feed) return delimited(plan, records)
  const query = plan.canonical.filter(([name]) => name !== "format")
  const publishedAt = new Date(validators["Last-Modified"] ?? 0)
  return atomFeed(plan.feed, records, { baseUrl, path: plan.path, query, publishedAt })
}

/** Every record of a short list. */
export const wholeContent = (plan: ListPlan, validators: Validators, records: Records): Content =>
  contentOf(
    validators,
    plan.format,
    exportHeaders(plan, records.length),
    codedBody(delimited(plan, records)),
  )

/** The headers of every export. */
export const exportHeaders = (plan: ListPlan, total: number): ContentHeaders => ({
  ...fileName(plan),
  "X-Total-Count": String(total),
})

const fileName = ({ format, shown }: ListPlan): ContentHeaders =>
  format === "json" || format === "atom"
    ? {}
    : { "Content-Disposition": `attachment; filename="${shown.name}.${format}"` }

/** Every record, with a header row. */
export function delimited(plan: ListPlan, records: Records): string {
  const { head, rows } = writerOf(plan)
  return head + rows(records)
}

/** `head` comes before the rows. @throws Error for a format without rows, in which no list is whole */
export function writerOf({ format, shown, fields, formula_guard, bom }: ListPlan) {
  if (format !== "csv" && format !== "tsv") throw new Error(`The format ${format} has no rows`)
  const names = Object.keys(shown.fields)
  const columns = columnsOf(shown, fields ?? names)
  const { header, rows, newEncoder } = delimitedWriter(format, columns, {
    formulaGuard: formula_guard,
  })
  const places = fields?.map((name) => names.indexOf(name))
  return {
    head: (bom ? "\uFEFF" : "") + header,
    rows,
    newEncoder: places ? () => picking(places, newEncoder()) : newEncoder,
  }
}

/** An encoder of whole rows, which encodes the cells at these places, in this order. */
function picking(places: readonly number[], encoder: RowEncoder): RowEncoder {
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
    bytes: encoder.bytes,
  }
}

const columnsOf = ({ fields }: Readable, names: readonly string[]): Column[] =>
  names.map((name) => {
    const schema = fields[name]?.schema
    return { name, type: columnTypes[schema?.format ?? schema?.type] ?? "text" }
  })

/** By the format or, without one, the type of a field. Any other is text. */
const columnTypes: Readonly<Record<string, Column["type"]>> = {
  date: "date",
  "date-time": "date",
  integer: "number",
  number: "number",
  boolean: "boolean",
}
