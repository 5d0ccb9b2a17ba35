/**
 * Rejected rows are written to a file or, if that fails, listed on standard error, and the load
 * continues until there are too many.
 */
import { afterAll, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { newFileFigures } from "../../../src/ingest/loading/figures.ts"
import { Rejects, rejectsText } from "../../../src/ingest/loading/rejects.ts"
import { smallDisk } from "../../faults/small-disk.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { reportSkipped } from "../../support/supervised.ts"
import { sourceOf } from "./readings.ts"

const root = directoryOfFile()
let parent: string
let warnings: string[]
beforeEach(() => {
  parent = mkdtempSync(join(root, "data-"))
  warnings = []
})

const rejectsIn = (rejectsDir?: string) =>
  new Rejects({ source, rejectsDir, progress: { warn: (text) => warnings.push(text) } })

const source = sourceOf("companies")
const file = newFileFigures("rows.csv")
const add = (rejects: Rejects, line: number) =>
  rejects.add({ file, line, reason: "is bad", row: { line } })

test("The directory is created with the first rejected row, one file for each load", () => {
  const directory = join(parent, "data", "rejects")
  const [first, second] = [rejectsIn(directory), rejectsIn(directory)]
  expect(readdirSync(parent)).toEqual([])
  for (const rejects of [first, second]) {
    add(rejects, 2)
    add(rejects, 3)
  }
  expect(readdirSync(directory)).toHaveLength(2)
  expect(first.written.rejectsFile).not.toBe(second.written.rejectsFile)
  expect(readFileSync(first.written.rejectsFile ?? "", "utf8")).toBe(
    '{"file":"rows.csv","line":2,"reason":"is bad","row":{"line":2}}\n' +
      '{"file":"rows.csv","line":3,"reason":"is bad","row":{"line":3}}\n',
  )
  expect(warnings).toEqual([])
})

test("A directory that cannot be created is a warning that lists the first ten rows", () => {
  writeFileSync(join(parent, "file"), "")
  const directory = join(parent, "file", "rejects")
  const rejects = rejectsIn(directory)
  for (let line = 2; line < 20; line++) add(rejects, line)
  expect(warnings).toEqual([
    `Cannot write rejected rows to ${directory}: not a directory; the first unwritten rows follow`,
    ...Array.from({ length: 10 }, (_, n) => `Rejected: rows.csv, line ${n + 2}: is bad`),
  ])
  expect(rejects.written).toEqual({
    rejectsFile: null,
    rejectsFault: `Cannot write the rejected rows to ${directory}: not a directory`,
  })
})

const disk = smallDisk(1)
if (!disk) reportSkipped(import.meta.path, "the right to mount a file system")
afterAll(() => disk?.remove())

test.skipIf(disk === null)(
  "On a full disk the outcome and a rejection state how many rows the file has",
  async () => {
    await disk?.fill(3 * 4096)
    const rejectsDir = join(disk?.path ?? "", "rejects")
    const warn = (text: string) => warnings.push(text)
    const rejects = new Rejects({ source, rejectsDir, progress: { warn }, maxRejects: 39 })
    const row = "x".repeat(500)
    for (let line = 2; line < 42; line++) rejects.add({ file, line, reason: "is bad", row })
    const { rejectsFile: path } = rejects.written
    const only = rejectsText(rejects.written)
    const rows = Number(/^Only the first (\d+) of 40 /.exec(only ?? "")?.[1])
    expect(only).toEndWith(`rejected rows are in ${path}: no space left on device`)
    const lines = readFileSync(path ?? "", "utf8")
      .split("\n")
      .slice(0, rows)
    expect(lines.map((each) => JSON.parse(each).line)).toEqual(lines.map((_, n) => n + 2))
    expect(warnings).toContain(`Rejected: rows.csv, line ${rows + 2}: is bad`)
    expect(() => rejects.check(50)).toThrow(only)
  },
)
