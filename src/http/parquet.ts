/**
 * Writes a list as a Parquet file, row group by row group. The footer comes last, so no reader accepts a file
 * that was cut. https://parquet.apache.org/docs/file-format/
 */
import type { SchemaElement } from "hyparquet-writer"
import type { Column } from "../text/delimited.ts"
import { dayMs } from "../text/durations.ts"

export interface ParquetColumn extends Column {
  nullable: boolean
}

type Records = readonly Readonly<Record<string, unknown>>[]

interface ParquetType {
  element: Pick<SchemaElement, "type" | "converted_type" | "logical_type">
  /** Converts a value of the API other than null. */
  convert: (value: unknown) => unknown
}

const parquetTypes: Readonly<Record<Column["type"], ParquetType>> = {
  text: {
    element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
    convert: (value) => (Array.isArray(value) ? value.join("; ") : value),
  },
  integer: { element: { type: "INT64" }, convert: (value) => BigInt(Number(value)) },
  number: { element: { type: "DOUBLE" }, convert: (value) => value },
  boolean: { element: { type: "BOOLEAN" }, convert: (value) => value },
  date: {
    element: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
    convert: (value) => Date.parse(String(value)) / dayMs,
  },
  instant: {
    element: {
      type: "INT64",
      converted_type: "TIMESTAMP_MILLIS",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
    },
    convert: (value) => Date.parse(String(value)),
  },
}

/** A larger group would keep other requests waiting while it is encoded. */
const rowsPerGroup = 10_000

/** The first file loads the library. @param metadata the key-value metadata of the file */
export async function parquetFile(
  columns: readonly ParquetColumn[],
  metadata: Readonly<Record<string, string>>,
) {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer")
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
    // They take a fifth of the time.
    statistics: false,
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    createdBy: "mining-data-service",
  })
  let pending: Records = []

  function writeGroup(): void {
    const columnData = columns.map(({ name, type }) => {
      const { convert } = parquetTypes[type]
      const data = pending.map((record) => {
        const value = record[name] ?? null
        return value === null ? null : convert(value)
      })
      return { name, data, offsetIndex: false }
    })
    file.write({ columnData, rowGroupSize: rowsPerGroup })
    pending = []
  }

  function written(): Uint8Array<ArrayBuffer> {
    const bytes = out.getBytes().slice()
    out.index = 0
    return bytes
  }

  return {
    /** @returns the bytes of the row group that these records complete; often none */
    add(records: Records): Uint8Array<ArrayBuffer> {
      pending = [...pending, ...records]
      if (pending.length >= rowsPerGroup) writeGroup()
      return written()
    },
    /** @returns the remaining records, and the footer */
    end(): Uint8Array<ArrayBuffer> {
      if (pending.length > 0) writeGroup()
      file.finish()
      return written()
    },
  }
}
