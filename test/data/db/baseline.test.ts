/** The baseline migration creates what the schema declares. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { generateBaseline } from "../../../src/data/db/generate-baseline.ts"
import { directoryOfFile } from "../../support/of-file.ts"

const folder = directoryOfFile()

test("The baseline migration is the output of `bun run generate`", async () => {
  await generateBaseline(folder)
  const [generated, committed] = [folder, join(import.meta.dir, "../../../drizzle")].map((of) =>
    Bun.file(join(of, "0000_baseline.sql")).text(),
  )
  expect(await generated).toBe(await committed)
})
