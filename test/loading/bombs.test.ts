/** A small file that expands without end is given up at a bound of size, and takes little memory. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { fromBufferPromise } from "yauzl"
import { zipFile } from "./packed-files.ts"
import { type Workbench, workbench } from "./workbench.ts"
import { workbookFile } from "./workbook-file.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())

const header = "asx_code,company_name,is_active\n"
const name = "Alpha".repeat(40)
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `Q${from + index},${name},true\n`).join("")
const mb = 1024 ** 2
const inline = (text: string) => ({
  attributes: ' t="inlineStr"',
  content: `<is><t>${text}</t></is>`,
})

test.each([
  ["gzip", gzipSync(header + rows(10_000, 8_000))],
  [
    "zip, whose files count together",
    zipFile({ "a.csv": header + rows(10_000, 4_000), "b.csv": header + rows(50_000, 4_000) }),
  ],
  ["gzip in a zip", zipFile({ "a.csv.gz": gzipSync(header + rows(10_000, 8_000)) })],
  [
    "workbook",
    workbookFile({
      list: [
        ["asx_code", "company_name", "is_active"],
        ...Array.from({ length: 4_000 }, (_, index) => [
          inline(`Q${10_000 + index}`),
          inline(name),
          "true",
        ]),
      ],
    }),
  ],
])("a bound on what a %s unpacks to refuses the file", async (_, content) => {
  const path = bench.file("packed", content)
  const options = { dryRun: true, maxUnpackedBytes: mb }
  expect(await bench.refusal("companies", [path], options)).toBe(
    "Cannot read packed: it unpacks to more than 1 MB",
  )
  // A local file is the operator's own.
  expect(
    (await bench.load("companies", [path], { dryRun: true })).files[0]?.accepted,
  ).toBeGreaterThan(3_999)
})

test("a file that is not packed has no such bound", async () => {
  const path = bench.file("plain.csv", header + rows(10_000, 8_000))
  const summary = await bench.load("companies", [path], { dryRun: true, maxUnpackedBytes: mb })
  expect(summary.files[0]?.accepted).toBe(8_000)
})

test("what a workbook unpacks to counts once, however often its sheet is read", async () => {
  const content = workbookFile({
    list: [
      ["asx_code", "company_name", "is_active"],
      [inline("QZA"), inline(name), "true"],
    ],
  })
  const path = bench.file("book.xlsx", content)
  const sizes: number[] = []
  for await (const entry of (await fromBufferPromise(Buffer.from(content))).eachEntry()) {
    if (!/Content_Types|^_rels/.test(entry.fileName)) sizes.push(entry.uncompressedSize)
  }
  const maxUnpackedBytes = sizes.reduce((total, size) => total + size, 0)
  const options = { dryRun: true, maxUnpackedBytes }
  expect((await bench.load("companies", [path], options)).files[0]?.accepted).toBe(1)
  expect(
    await bench.refusal("companies", [path], {
      dryRun: true,
      maxUnpackedBytes: maxUnpackedBytes - 1,
    }),
  ).toContain("it unpacks to more than")
})

test.each([
  ["an endless line", "a", "a line is longer than 4000000 characters"],
  ["a line of nothing but separators", ",", "a line is longer than 4000000 characters"],
  ["empty lines without end", "\n", "it has millions of empty lines in a row"],
  ["empty lines of Windows without end", "\r\n", "it has millions of empty lines in a row"],
])("%s ends the load, before it takes all memory", async (_, piece, message) => {
  const path = bench.file("bomb.gz", gzipSync(header + piece.repeat((24 * mb) / piece.length)))
  expect(await bench.refusal("companies", [path])).toBe(`Cannot read bomb.gz: ${message}`)
})

test("a zip file of very many files is refused by their number", async () => {
  const names = Array.from({ length: 50_001 }, (_, index) => [String(index), ""])
  const path = bench.file("many.zip", zipFile(Object.fromEntries(names)))
  expect(await bench.refusal("companies", [path])).toBe(
    "Cannot read many.zip: it contains more than 50000 files",
  )
})
