/** Reads files as a load does, up to the rows, without a database. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { FileFigures } from "../../../src/ingest/loading/figures.ts"
import { LoadError } from "../../../src/ingest/loading/load-error.ts"
import type { Row } from "../../../src/ingest/loading/reading/row.ts"
import { openTables } from "../../../src/ingest/loading/reading/rows.ts"
import { sourceNamed } from "../../../src/ingest/sources/catalogue.ts"
import type { Source } from "../../../src/ingest/sources/source.ts"
import { directoryOfFile } from "../../support/of-file.ts"

export const sourceOf = (name: string): Source => {
  const source = sourceNamed(name)
  if (typeof source === "string") throw new Error(source)
  return source
}

/** All rows of the tables in a file, and the remarks on how they were read. */
export async function readFile(source: Source, path: string) {
  const rows: Row[] = []
  const files: FileFigures[] = []
  for await (const table of openTables(path, { source, readsShapes: false })) {
    for await (const batch of table.batches) rows.push(...batch)
    await table.input.finish()
    files.push(table.figures)
  }
  const notes = files.flatMap((file) => file.notes ?? [])
  return { rows, notes, isIncomplete: files.some(({ incomplete }) => incomplete === true) }
}

export const rowsOf = async (source: Source, path: string): Promise<Row[]> =>
  (await readFile(source, path)).rows

/** The number of rows, or the message of the `LoadError`. Any other error is thrown. */
export async function outcomeOf(source: Source, path: string): Promise<number | string> {
  try {
    return (await rowsOf(source, path)).length
  } catch (error) {
    if (error instanceof LoadError) return error.message
    throw error
  }
}

/** Writes files into a directory of the test file, and returns each file's path. */
export function filesOfFile() {
  const directory = directoryOfFile()
  return (name: string, content: string | Uint8Array): string => {
    const path = join(directory, name)
    writeFileSync(path, content)
    return path
  }
}
