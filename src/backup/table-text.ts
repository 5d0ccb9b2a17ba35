/**
 * The rows of a table as the text of a COPY, read with a cursor: the driver cannot read a COPY to its
 * end reliably.
 */
import type { TransactionSql } from "postgres"
import type { Table } from "./contents.ts"

export interface Column {
  name: string
  type: string
}

/** The text of no value of these has a character that COPY escapes. */
const plainTypes = new Set([
  "bool",
  "date",
  "float4",
  "float8",
  "int2",
  "int4",
  "int8",
  "numeric",
  "timestamp",
  "timestamptz",
  "uuid",
])

const rowsAtATime = 2_000

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS */
function cell({ name, type }: Column): string {
  const text = `${quoted(name)}::text`
  const escaped = [
    ["\\\\", "\\\\\\\\"],
    ["\\t", "\\\\t"],
    ["\\n", "\\\\n"],
    ["\\r", "\\\\r"],
  ].reduce((inner, [found, by]) => `replace(${inner}, e'${found}', e'${by}')`, text)
  return `coalesce(${plainTypes.has(type) ? text : escaped}, e'\\\\N')`
}

/** @param onRows receives the number of rows read so far */
export async function* tableText(
  sql: TransactionSql,
  { schema, name, columns }: Pick<Table, "schema" | "name" | "columns">,
  onRows: (rows: number) => void,
): AsyncGenerator<string> {
  const line = columns.map(cell).join(" || e'\\t' || ")
  await sql.unsafe(
    `declare backup_rows no scroll cursor for
      select ${line} || e'\\n' from only ${quoted(schema)}.${quoted(name)}`,
  )
  const fetchMore = () => sql.unsafe(`fetch ${rowsAtATime} from backup_rows`).values()
  let rows = 0
  let next = fetchMore()
  for (;;) {
    const fetched = await next
    if (fetched.length === 0) break
    // PostgreSQL prepares the next ones while these are compressed and written.
    next = fetchMore()
    next.catch(() => {})
    rows += fetched.length
    onRows(rows)
    yield fetched.map(([text]) => text).join("")
  }
  await sql.unsafe("close backup_rows")
  yield "\\.\n\n\n"
}
