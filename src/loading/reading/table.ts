/**
 * Reads CSV (RFC 4180) and TSV. TSV has no quotes: a tab or a line break cannot be part of a value,
 * as the service itself writes it. Header and rows are read in one pass of constant memory.
 */
import type { RawRecord } from "../../sources/source.ts"
import { type CsvRecord, csvRecords } from "./csv-records.ts"
import { matchHeader } from "./named-rows.ts"
import type { Layout, RejectFile, Row } from "./row.ts"

/** How many lines may precede the header. */
const maxBannerLines = 3

export async function* readTable(
  text: AsyncIterable<string>,
  format: "csv" | "tsv",
  layout: Layout,
  rejectFile: RejectFile,
): AsyncGenerator<Row> {
  let lastCharacter = ""
  async function* trackLastCharacter() {
    for await (const chunk of text) {
      lastCharacter = chunk.at(-1) ?? lastCharacter
      yield chunk
    }
  }
  const records = csvRecords(trackLastCharacter(), format, rejectFile)
  const names = await readHeader(records, layout, rejectFile)
  let last: CsvRecord | undefined
  // Not `for await`: the header has already been read from the same iterator.
  for (let next = await records.next(); !next.done; next = await records.next()) {
    last = next.value
    yield rowOf(names, last)
  }
  if (!last) rejectFile("it has a header but no rows")
  if (last?.cells && last.cells.length < names.length && lastCharacter !== "\n") {
    rejectFile(`it is truncated: line ${last.line}, the last, has fewer columns than the header`)
  }
}

async function readHeader(
  records: AsyncGenerator<CsvRecord>,
  layout: Layout,
  rejectFile: RejectFile,
): Promise<(string | null)[]> {
  for (let lines = 0; lines <= maxBannerLines; lines++) {
    const { done, value } = await records.next()
    if (done) break
    const cells = value.cells ?? []
    if (layout.banner?.test(cells.join(","))) continue
    return matchHeader(layout, cells, rejectFile)
  }
  return rejectFile("it has no header")
}

function rowOf(names: readonly (string | null)[], { line, cells, error, text }: CsvRecord): Row {
  if (!cells) return { line, raw: text, error }
  const raw: Record<string, string> = {}
  for (let index = 0; index < names.length; index++) {
    const name = names[index]
    const cell = cells[index]
    if (name && cell !== undefined) raw[name] = cell
  }
  if (cells.length === names.length) return { line, raw: raw as RawRecord }
  const wrong = `has ${cells.length} columns where the header has ${names.length}`
  return { line, raw: cells, error: wrong, readable: raw }
}
