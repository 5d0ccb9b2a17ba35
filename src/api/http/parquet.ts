/**
 * Writes a list as a Parquet file. Each chunk of records is a row group, which bounds the memory. The footer
 * comes last, so no reader accepts a file that was cut. https://parquet.apache.org/docs/file-format/
 */
import type { SchemaElement } from "hyparquet-writer"
import { dayMs } from "../../system/text/time.ts"
import type { DelimitedColumn } from "./delimited.ts"

export interface ParquetColumn extends DelimitedColumn {
  nullable: boolean
}

type Records = readonly Readonly<Record<string, unknown>>[]

interface ParquetType {
  element: Pick<SchemaElement, "type" | "converted_type" | "logical_type">
  /** Converts a value of the API other than null. */
  convert: (value: unknown, library: typeof import("hyparquet-writer")) => unknown
}

const parquetTypes: Readonly<Record<DelimitedColumn["type"], ParquetType>> = {
  text: {
    element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
    convert: (value) => (Array.isArray(value) ? value.join("; ") : value),
  },
  integer: { element: { type: "INT64" }, convert: (value) => BigInt(Number(value)) },
  number: { element: { type: "DOUBLE" }, convert: (value) => value },
  boolean: { element: { type: "BOOLEAN" }, convert: (value) => value },
  /** WKB of text of GeoJSON. */
  geometry: {
    element: { type: "BYTE_ARRAY" },
    convert: (value, { geojsonToWkb }) => geojsonToWkb(JSON.parse(String(value))),
  },
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

/** The first file loads the library. @param metadata the key-value metadata of the file */
export async function parquetFile(
  columns: readonly ParquetColumn[],
  metadata: Readonly<Record<string, string>>,
) {
  const library = await import("hyparquet-writer")
  const { ByteWriter, ParquetWriter } = library
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

  function written(): Uint8Array<ArrayBuffer> {
    const bytes = out.getBytes().slice()
    out.index = 0
    return bytes
  }

  return {
    /** @returns the bytes of a row group of these records */
    add(records: Records): Uint8Array<ArrayBuffer> {
      const columnData = columns.map(({ name, type }) => {
        const { convert } = parquetTypes[type]
        const data = records.map((record) => {
          const value = record[name] ?? null
          return value === null ? null : convert(value, library)
        })
        return { name, data, offsetIndex: false }
      })
      file.write({ columnData, rowGroupSize: records.length })
      return written()
    },
    /** @returns the footer */
    end(): Uint8Array<ArrayBuffer> {
      file.finish()
      return written()
    },
  }
}
