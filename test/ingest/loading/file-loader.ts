/** Loads files of a few lines into the database of a service. */
import { join } from "node:path"
import { load } from "../../../src/ingest/loading/load.ts"
import type { LoadOptions } from "../../../src/ingest/loading/load-options.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import type { TestService } from "../../support/service.ts"
import { sourceOf } from "./readings.ts"

/** Makes the loader for the tests of a file. It takes the lines of each file by the file's name. */
export function fileLoader({ database }: Pick<TestService, "database">) {
  const directory = directoryOfFile()
  return async (
    source: string,
    linesOf: Readonly<Record<string, readonly string[]>>,
    options: Partial<LoadOptions> = {},
  ) => {
    const files = Object.keys(linesOf).map((name) => join(directory, name))
    const contents = Object.values(linesOf).map((lines) => `${lines.join("\n")}\n`)
    for (const [index, file] of files.entries()) await Bun.write(file, contents[index] ?? "")
    return load({ url: database.url, source: sourceOf(source), files, ...options })
  }
}
