/**
 * Writes a list as a Parquet file, row group by row group. The footer comes last: without it no reader takes
 * the file for whole. The pages are encoded here, from the bytes that the database sends: the library's own
 * encoders take an object for each value, and an export with them takes 2.3 times the CPU time.
 * https://parquet.apache.org/docs/file-format/
 */
import { ByteWriter, ParquetWriter } from "hyparquet-writer"
import type { Column } from "../text/delimited.ts"
import { type Cells, createParquetColumn, parquetTypes } from "./parquet-column.ts"

export interface ParquetColumn extends Column {
  nullable: boolean
}

/** The rows of a chunk, column by column. */
export interface Rows {
  count: number
  columns: readonly Cells[]
}

/** Large enough for readers to be fast; a group is encoded within some 30 ms. */
const rowsPerGroup = 20_000
/** Of text, for rows with long texts. */
const bytesPerGroup = 8 * 1024 * 1024

/** @param metadata the key-value metadata of the file */
export function parquetFile(
  columns: readonly ParquetColumn[],
  metadata: Readonly<Record<string, string>>,
) {
  const out = new ByteWriter()
  const file = new ParquetWriter({
    writer: out,
    schema: [
      { name: "records", num_children: columns.length },
      ...columns.map(({ name, type, nullable }) => ({
        name,
        repetition_type: nullable ? ("OPTIONAL" as const) : ("REQUIRED" as const),
        ...parquetTypes[type].element,
      })),
    ],
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    createdBy: "mining-data-service",
  })
  const encoders = columns.map((column) => createParquetColumn(column, 2 * rowsPerGroup))
  let count = 0
  let bytes = 0

  function writeGroup(): void {
    const start = out.offset
    const chunks = encoders.map((encoder) => encoder.write(out))
    file.row_groups.push({
      columns: chunks,
      num_rows: BigInt(count),
      total_byte_size: chunks.reduce(
        (sum, { meta_data }) => sum + meta_data.total_uncompressed_size,
        0n,
      ),
      total_compressed_size: BigInt(out.offset - start),
    })
    file.num_rows += BigInt(count)
    count = 0
    bytes = 0
  }

  function written(): Uint8Array<ArrayBuffer> {
    const taken = out.getBytes().slice()
    out.index = 0
    return taken
  }

  return {
    newRows: () => collectedRows(columns.length),
    /** The bytes of the row group that these rows complete; often none. */
    add(rows: Rows): Uint8Array<ArrayBuffer> {
      if (rows.count > rowsPerGroup) throw new Error(`More than ${rowsPerGroup} rows at once`)
      for (const [index, cells] of rows.columns.entries()) {
        encoders[index]?.add(cells, rows.count)
        bytes += cells.length
      }
      count += rows.count
      if (count >= rowsPerGroup || bytes >= bytesPerGroup) writeGroup()
      return written()
    },
    /** The rest of the rows, and the footer. */
    end(): Uint8Array<ArrayBuffer> {
      if (count > 0) writeGroup()
      file.finish()
      return written()
    },
  }
}

/** Copies rows: those of a statement that has to run again are left out as a whole. */
function collectedRows(columns: number) {
  const collected = Array.from({ length: columns }, createCells)
  let index = 0
  let count = 0
  return {
    cell: (text: Uint8Array, start: number, end: number) =>
      addCell(collected[index++], text, start, end),
    emptyCell: () => collected[index++]?.ends.push(-1),
    endRow(): void {
      index = 0
      count++
    },
    content: (): Rows => ({ count, columns: collected }),
  }
}

const createCells = (): Cells => ({ bytes: new Uint8Array(16 * 1024), length: 0, ends: [] })

function addCell(cells: Cells | undefined, text: Uint8Array, start: number, end: number): void {
  if (!cells) return
  const needed = cells.length + end - start
  if (needed > cells.bytes.length) {
    const longer = new Uint8Array(Math.max(needed, 2 * cells.bytes.length))
    longer.set(cells.bytes.subarray(0, cells.length))
    cells.bytes = longer
  }
  const { bytes } = cells
  let at = cells.length
  for (let from = start; from < end; from++) bytes[at++] = text[from] as number
  cells.length = at
  cells.ends.push(at)
}
