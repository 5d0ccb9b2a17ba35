/** Reads files as a load does, up to the rows, without a database. */
import { LoadError } from "../../src/loading/load-error.ts"
import { openInputs } from "../../src/loading/reading/input-file.ts"
import type { Row } from "../../src/loading/reading/row.ts"
import { openRows } from "../../src/loading/reading/rows.ts"
import type { Source } from "../../src/sources/source.ts"

/** All rows of the tables in a file. */
export async function rowsOf(source: Source, path: string): Promise<Row[]> {
  const remarks = { note: () => {}, markIncomplete: () => {} }
  const rows: Row[] = []
  for await (const input of openInputs(path)) {
    const { batches } = await openRows(input, source, remarks)
    for await (const batch of batches) rows.push(...batch)
  }
  return rows
}

/** The number of rows, or the message of the `LoadError`. Any other error is thrown. */
export async function outcomeOf(source: Source, path: string): Promise<number | string> {
  try {
    return (await rowsOf(source, path)).length
  } catch (error) {
    if (error instanceof LoadError) return error.message
    throw error
  }
}
