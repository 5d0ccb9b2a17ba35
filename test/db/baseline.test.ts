/** The baseline migration creates what the schema declares. */
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateBaseline } from "../../src/db/generate-baseline.ts"

test("The baseline migration is the output of `bun run generate`", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mds-baseline-"))
  try {
    await generateBaseline(folder)
    const [generated, committed] = [folder, join(import.meta.dir, "../../drizzle")].map((of) =>
      Bun.file(join(of, "0000_baseline.sql")).text(),
    )
    expect(await generated).toBe(await committed)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
