/** The states in files of the national view, whose rows `mds load national` loads one state after the other. */
import type { State } from "../../data/db/schema.ts"
import { national } from "../sources/national.ts"
import { statedState } from "../sources/national-view.ts"
import { LoadError } from "./load-error.ts"
import type { LoadOptions } from "./load-options.ts"
import { checkReadable } from "./reading/input.ts"
import { readable } from "./reading/row.ts"
import { openTables } from "./reading/rows.ts"

/** @throws LoadError where no row names a state, or a file cannot be read more than once */
export async function statesIn({
  files,
  maxUnpackedBytes,
}: Pick<LoadOptions, "files" | "maxUnpackedBytes">): Promise<Set<State>> {
  const reading = { source: national, readsShapes: false, maxUnpackedBytes }
  const found = new Set<State>()
  for (const path of files) {
    if (path === "-") throw new LoadError("Cannot read standard input for each state: save a file")
    await checkReadable(path)
    for await (const { batches } of openTables(path, reading)) {
      for await (const rows of batches) {
        for (const row of rows) {
          const state = statedState(readable(row))
          if (state) found.add(state)
        }
      }
    }
  }
  if (found.size > 0) return found
  throw new LoadError(
    "Cannot load the national view: no row has a state or an identifier that names one. " +
      "Load a file of one state as its source, such as nt",
  )
}
