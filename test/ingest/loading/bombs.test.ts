/** A small file that expands without end is given up at a bound of size, and takes little memory. */
import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { zipFile } from "./packed-files.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = "asx_code,company_name,is_active\n"
const name = "A".repeat(1_900)
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `Q${from + index},${name},true\n`).join("")
const mb = 1024 ** 2
test.each([
  ["gzip", gzipSync(header + rows(10_000, 800))],
  [
    "zip, whose files count together",
    zipFile({ "a.csv": header + rows(10_000, 400), "b.csv": header + rows(50_000, 400) }),
  ],
  ["gzip in a zip", zipFile({ "a.csv.gz": gzipSync(header + rows(10_000, 800)) })],
])("A %s that unpacks beyond the limit is rejected", async (_, content) => {
  const path = bench.file("packed", content)
  const options = { dryRun: true, maxUnpackedBytes: mb }
  expect(await bench.refusal("companies", [path], options)).toBe(
    "Cannot read packed: it unpacks to more than 1 MB",
  )
  // A local file is the operator's own.
  expect(
    (await bench.load("companies", [path], { dryRun: true })).files[0]?.accepted,
  ).toBeGreaterThan(399)
})

test.each([
  [
    "an endless line",
    "a".repeat(1_000_000),
    129,
    "line 2 is longer than 128000000 characters. Save the file again with a line for each record",
  ],
  [
    "a line of nothing but separators",
    ",".repeat(1_000_000),
    5,
    "line 2 has more than 1000000 columns. Save the file again",
  ],
])("%s ends the load, before it takes all memory", async (_, part, times, message) => {
  // Of several members, as gzip allows: packing the whole takes longer than the load.
  const packed = gzipSync(part)
  const members = [gzipSync(header), ...Array.from({ length: times }, () => packed)]
  const path = bench.file("bomb.gz", Buffer.concat([...members, gzipSync("\n")]))
  expect(await bench.refusal("companies", [path])).toBe(`Cannot read bomb.gz: ${message}`)
})

test("A zip file with too many files is rejected", async () => {
  const names = Array.from({ length: 10_001 }, (_, index) => [String(index), ""])
  const path = bench.file("many.zip", zipFile(Object.fromEntries(names)))
  expect(await bench.refusal("companies", [path])).toBe(
    "Cannot read many.zip: it contains more than 10000 files",
  )
})
