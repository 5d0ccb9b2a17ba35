/** A cell of a file takes time that grows with its length, whatever it contains: milliseconds. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { normaliseName } from "../../../src/data/resources/company-name.ts"
import { recordValidator } from "../../../src/ingest/loading/field-values.ts"
import { foreignText } from "../../../src/ingest/loading/reading/foreign-formats.ts"
import { loadableSources } from "../../../src/ingest/sources/catalogue.ts"
import { holdersIn } from "../../../src/ingest/sources/register-holders.ts"
import { wa } from "../../../src/ingest/sources/wa.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { dbaseFile } from "./packed-files.ts"
import { rowsOf } from "./readings.ts"

const directory = directoryOfFile()

const length = 20_000
/** With what makes a pattern fail at the end, after all that it may match. */
const filled = (unit: string) => `A${unit.repeat(length / unit.length)}x`
/** Linear time stays below this on the slowest machine, and quadratic time exceeds it on the fastest. */
const maxMs = 100
const cells = ["-", " ", "1", ",", "(", "%", "\n", "é", "\u0300\u0316", " ,", "1.", "- ", "(1"].map(
  filled,
)

/** The least of several, since a busy machine interrupts. */
function msOf(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && least > maxMs; attempt++) {
    const started = performance.now()
    run()
    least = Math.min(least, performance.now() - started)
  }
  return least
}

test.each(loadableSources.map((source) => ({ name: source.name, source })))(
  "A row of $name with long cells is mapped in milliseconds",
  ({ source: { columns, resource, map } }) => {
    const names = [...columns.required, ...columns.optional]
    const validate = recordValidator(resource)
    for (const cell of cells) {
      for (const written of [cell, `Holder - ${cell}`, `2014-05-28 ${cell}`]) {
        const raw = Object.fromEntries(names.map((name) => [name, written]))
        const ms = msOf(() => {
          const mapped = map(raw, { format: "csv", allSectors: false })
          if ("record" in mapped) validate(mapped.record)
        })
        expect([written.slice(0, 20), ms < maxMs]).toEqual([written.slice(0, 20), true])
      }
    }
  },
)

test.each<[string, (cell: string) => unknown]>([
  ["holders", holdersIn],
  ["a company's name", normaliseName],
  ["a web page", (cell) => foreignText(`<title>${cell}`)],
])("%s of 20,000 characters takes milliseconds", (_what, read) => {
  for (const cell of [...cells, "[".repeat(length)]) {
    expect([cell.slice(0, 20), msOf(() => read(cell)) < maxMs]).toEqual([cell.slice(0, 20), true])
  }
})

test("A dBase cell with 20,000 blanks before its last character takes milliseconds", async () => {
  const names = ["FMT_TENID", "TYPE", "TENSTATUS", "HOLDER1"]
  const columns = names.map((name) => ({ name, type: "C", length: 10 }) as const)
  const long = { name: "REMARK", type: "C", length } as const
  const value = `${" ".repeat(length - 1)}x`
  const path = join(directory, "long.dbf")
  writeFileSync(path, dbaseFile([...columns, long], [[...names, value]]))
  const started = performance.now()
  expect(await rowsOf(wa, path)).toHaveLength(1)
  expect(performance.now() - started).toBeLessThan(10 * maxMs)
})
