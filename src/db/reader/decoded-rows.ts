/** Rows decoded into records, in one pass over what was sent. */
import { type ResourceRecord, type Value, valueTypeOf } from "../../resources/resource.ts"
import type { Database } from "../pool/replaceable-client.ts"
import { cellText, nextCell, type Query, takeRows } from "./raw-rows.ts"
import type { ListShape, Prepared, Row } from "./statements.ts"

/** @param query selects what `Row` has, in that order */
export function decodedRows(
  db: Database,
  query: Query,
  { resource, order }: Pick<ListShape, "resource" | "order">,
): Prepared<Row> {
  const fields = Object.entries(resource.fields).map(([name, { schema }]) => ({
    name,
    decode: decoders[valueTypeOf(schema)],
  }))
  const getQuery = () => query.getQuery()

  const execute = async (values: Record<string, unknown>): Promise<Row[]> => {
    const rows: Row[] = []
    await takeRows(db, { getQuery }, values, (bytes, offset) => {
      const release = rows[0] ? rows[0].release : numberOrNull(cellText(bytes, offset))
      let at = nextCell(bytes, offset)
      const record: ResourceRecord = {}
      for (const { name, decode } of fields) {
        const text = cellText(bytes, at)
        record[name] = text === null ? null : decode(text)
        at = nextCell(bytes, at)
      }
      const position: (string | null)[] = []
      while (position.length < order.length) {
        position.push(cellText(bytes, at))
        at = nextCell(bytes, at)
      }
      rows.push({ release, record, position })
    })
    return rows
  }

  return { execute, getQuery }
}

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text))

/** From the text of a value other than null. */
const decoders: Record<ReturnType<typeof valueTypeOf>, (text: string) => Value> = {
  string: (text) => text,
  number: Number,
  boolean: (text) => text === "t",
}
