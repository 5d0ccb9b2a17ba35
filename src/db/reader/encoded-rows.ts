/** Reads rows into an encoder, which gets the text of a record's fields as it was sent. */
import type { Database } from "../pool/pool.ts"
import { cellText, nextCell, type Query, takeRows } from "./raw-rows.ts"
import type { Position } from "./seek.ts"
import type { ListShape, SeenReleases } from "./statements.ts"

/** Takes the values of each row's fields in their order, as UTF-8 between two offsets. */
export interface RowEncoder {
  cell(text: Uint8Array, start: number, end: number): void
  /** In place of a value that is null. */
  emptyCell(): void
  endRow(): void
  /** All that was encoded. */
  bytes(): Uint8Array<ArrayBuffer>
}

export interface EncodedRows extends SeenReleases {
  records: number
  bytes: Uint8Array<ArrayBuffer>
  /** Of the last row; empty where there is none. */
  position: Position
}

/** Runs a statement for rows. */
export async function readEncoded(
  db: Database,
  query: Query,
  { resource, order }: Pick<ListShape, "resource" | "order">,
  values: Record<string, unknown>,
  encoder: RowEncoder,
): Promise<EncodedRows> {
  const names = Object.keys(resource.fields)
  const keyCell = 1 + names.indexOf(resource.key)
  let records = 0
  let last: { bytes: Buffer; offset: number } | undefined

  await takeRows(db, query, values, (bytes, offset) => {
    last = { bytes, offset }
    // Without rows, the release comes alone.
    if (records === 0 && cellsOf(bytes, offset, keyCell + 1)[keyCell] === null) return
    let at = nextCell(bytes, offset)
    for (let field = 0; field < names.length; field++) {
      const length = bytes.readInt32BE(at)
      at += 4
      if (length < 0) {
        encoder.emptyCell()
      } else {
        encoder.cell(bytes, at, at + length)
        at += length
      }
    }
    encoder.endRow()
    records++
  })

  if (!last) throw new Error("A statement returned no release")
  const [release, ...cells] = cellsOf(last.bytes, last.offset, 1 + names.length + order.length)
  return {
    release: release == null ? null : Number(release),
    records,
    bytes: encoder.bytes(),
    position: records === 0 ? [] : cells.slice(names.length),
  }
}

function cellsOf(bytes: Buffer, offset: number, count: number): (string | null)[] {
  const cells: (string | null)[] = []
  for (let at = offset; cells.length < count; at = nextCell(bytes, at)) {
    cells.push(cellText(bytes, at))
  }
  return cells
}
