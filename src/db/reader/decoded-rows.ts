/** Rows decoded into records, in one pass over what was sent. */
import { type ResourceRecord, type Value, valueTypeOf } from "../../resources/resource.ts"
import type { Database } from "../pool/pool.ts"
import { cellText, nextCell, type Query, takeRows } from "./raw-rows.ts"
import type { Position } from "./seek.ts"
import type { ListShape, Page, Prepared } from "./statements.ts"

export interface Row {
  record: ResourceRecord
  /** The row's position in its list; see `seek.ts`. */
  position: Position
}

/** @param query selects the release, the record's fields and the position's values, in this order */
export function decodedRows(
  db: Database,
  query: Query,
  { resource, order }: Pick<ListShape, "resource" | "order">,
): Prepared<Page> {
  const fields = Object.entries(resource.fields).map(([name, { schema }]) => ({
    name,
    decode: decoders[valueTypeOf(schema)],
  }))

  const execute = async (values: Record<string, unknown>): Promise<Page> => {
    const rows: Row[] = []
    let release: number | null | undefined
    await takeRows(db, query, values, (bytes, offset) => {
      if (release === undefined) release = numberOrNull(cellText(bytes, offset))
      let at = nextCell(bytes, offset)
      const record: ResourceRecord = {}
      for (const { name, decode } of fields) {
        const text = cellText(bytes, at)
        record[name] = text === null ? null : decode(text)
        at = nextCell(bytes, at)
      }
      // Without rows, the release comes alone.
      if (record[resource.key] === null) return
      const position: (string | null)[] = []
      while (position.length < order.length) {
        position.push(cellText(bytes, at))
        at = nextCell(bytes, at)
      }
      rows.push({ record, position })
    })
    if (release === undefined) throw new Error("A statement returned no release")
    return { release, rows }
  }

  return { ...query, execute }
}

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text))

/** From the text of a value other than null. */
const decoders: Record<ReturnType<typeof valueTypeOf>, (text: string) => Value> = {
  string: (text) => text,
  number: Number,
  boolean: (text) => text === "t",
}
