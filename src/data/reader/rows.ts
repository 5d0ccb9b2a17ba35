/**
 * Runs the statements for rows and takes their cells as PostgreSQL sends them: the one way past Drizzle, which
 * builds these statements too. Drizzle's prepared statements make an array and an object of each row, which
 * doubles the CPU time of a page of 50 records.
 */
import { fillPlaceholders } from "drizzle-orm"
import type { Database } from "../db/pool/pool.ts"
import type { OrderTerm, Readable, ResourceRecord, Value } from "../resources/resource.ts"
import type { SeenReleases } from "./releases.ts"
import type { Position } from "./seek.ts"

/** Takes the values of each row's fields in their order, as UTF-8 between two offsets. */
export interface RowSink {
  cell(text: Buffer, start: number, end: number): void
  /** In place of a value that is null. */
  emptyCell(): void
  endRow(): void
}

/** Encodes the rows of an export. */
export interface RowEncoder extends RowSink {
  /** All encoded rows. Called once for each chunk of an export, in their order. */
  content(): Uint8Array<ArrayBuffer>
}

/** A statement that Drizzle has built. */
export interface Query {
  sql: string
  params: unknown[]
}

/** A statement for rows: each has the release, the record's fields and the position's values, in this order. */
export interface RowsQuery extends Query {
  /**
   * Run in its place where it returns no rows, from which nothing is known: it returns the release with
   * nulls, or the rows that there are meanwhile.
   */
  whenEmpty?: Query
  resource: Readable
  /** The names of the fields. */
  names: readonly string[]
  order: readonly OrderTerm[]
}

export interface RowsRead extends SeenReleases {
  count: number
  /** Of the last row; empty where there is none. */
  position: Position
}

export async function readRows(
  { $client }: Pick<Database, "$client">,
  { whenEmpty, resource, names, order, ...query }: RowsQuery,
  values: Record<string, unknown>,
  sink: RowSink,
): Promise<RowsRead> {
  // The key ends every order.
  const keyCell = order.length > 0 ? names.length + order.length : 1 + names.indexOf(resource.key)
  let count = 0
  let last: { bytes: Buffer; offset: number } | undefined

  /** At the offset there is for each column its length, or -1 for null, and its text. */
  function onrow(bytes: Buffer, offset: number): void {
    last = { bytes, offset }
    // An empty result has one row, with only the release.
    if (count === 0 && cellsOf(bytes, offset, keyCell + 1)[keyCell] === null) return
    let position = nextCell(bytes, offset)
    for (let field = 0; field < names.length; field++) {
      const end = nextCell(bytes, position)
      if (bytes.readInt32BE(position) < 0) sink.emptyCell()
      else sink.cell(bytes, position + 4, end)
      position = end
    }
    sink.endRow()
    count++
  }

  async function run({ sql, params }: Query): Promise<void> {
    const bound = fillPlaceholders(params, values) as (string | number | null)[]
    await $client.unsafe(sql, bound, { prepare: true, onrow })
  }

  await run(query)
  if (!last && whenEmpty) await run(whenEmpty)
  if (!last) throw new Error("A statement returned no release")
  const [release, ...cells] = cellsOf(last.bytes, last.offset, 1 + names.length + order.length)
  return {
    release: release == null ? null : Number(release),
    count,
    position: count === 0 ? [] : cells.slice(names.length),
  }
}

function cellsOf(bytes: Buffer, offset: number, count: number): (string | null)[] {
  const cells: (string | null)[] = []
  for (let position = offset; cells.length < count; position = nextCell(bytes, position)) {
    const isNull = bytes.readInt32BE(position) < 0
    cells.push(isNull ? null : bytes.toString("utf8", position + 4, nextCell(bytes, position)))
  }
  return cells
}

/** The offset of the cell after the one at an offset. */
const nextCell = (bytes: Buffer, position: number): number =>
  position + 4 + Math.max(0, bytes.readInt32BE(position))

/** Collects the rows as records. */
export function createRecordSink({
  resource,
  names,
}: Pick<RowsQuery, "resource" | "names">): RowSink & { records: ResourceRecord[] } {
  const columns = names.map((name) => ({
    name,
    decode: decoders[resource.fields[name]?.schema.type],
  }))
  const records: ResourceRecord[] = []
  let record: ResourceRecord = {}
  let index = 0

  function add(text: string | null): void {
    const column = columns[index++]
    if (column) record[column.name] = text !== null && column.decode ? column.decode(text) : text
  }
  return {
    records,
    cell: (text, start, end) => add(text.toString("utf8", start, end)),
    emptyCell: () => add(null),
    endRow: () => {
      records.push(record)
      record = {}
      index = 0
    },
  }
}

/** From the text of a value other than null or text. */
const decoders: Readonly<Record<string, (text: string) => Value>> = {
  array: (text) => (text === "" ? [] : text.split("; ")),
  integer: Number,
  number: Number,
  boolean: (text) => text === "t",
}
