/**
 * Whatever bytes of a file are cut off or changed, a load of it is rejected or loads what the file
 * then says; it never fails in another way, never publishes a part, and takes no more memory.
 */
import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { wgs84 } from "../../../src/data/places/reference-system.ts"
import { LoadError } from "../../../src/ingest/loading/load-error.ts"
import { vic } from "../../../src/ingest/sources/vic.ts"
import { seededIntegers } from "../../support/seeded-integers.ts"
import { dbaseFile, shapefile, zipFile } from "./packed-files.ts"
import { outcomeOf } from "./readings.ts"
import { workbench } from "./workbench.ts"

const bench = await workbench()

const names = ["tno", "typedesc", "statussdsc", "own_name", "grant1_dt", "hectares"]
const rows = Array.from({ length: 60 }, (_, nth) => [
  `EL${nth}`,
  "Exploration Licence",
  "Current",
  `Caf\u00e9 "No ${nth}", Pty Ltd`,
  "2020-01-31",
  `${nth}.5`,
])
const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
const table = (separator: string) =>
  [names, ...rows].map((row) => row.map(cell).join(separator)).join("\r\n")
const objects = rows.map((row) => Object.fromEntries(row.map((text, nth) => [names[nth], text])))
const collection = JSON.stringify({
  type: "FeatureCollection",
  features: objects.map((properties) => ({ type: "Feature", geometry: null, properties })),
})
const dbase = dbaseFile(
  names.map((name) => ({ name, type: "C", length: 40 })),
  rows,
)

const files: Readonly<Record<string, Buffer>> = {
  csv: Buffer.from(table(",")),
  semicolons: Buffer.from(`Tenements\r\n${table(";")}`),
  tsv: Buffer.from([names, ...rows].map((row) => row.join("\t")).join("\n")),
  utf16: Buffer.from(`\ufeff${table(",")}`, "utf16le"),
  windows: Buffer.from(table(","), "latin1"),
  ndjson: Buffer.from(objects.map((object) => JSON.stringify(object)).join("\n")),
  geojson: Buffer.from(collection),
  dbase,
  gzip: gzipSync(table(",")),
  zip: zipFile({ "a.csv": table(","), "b.dbf": dbase }),
}

function damaged(bytes: Buffer, next: (below: number) => number): Buffer {
  if (next(3) === 0) return bytes.subarray(0, next(bytes.length))
  const changed = Buffer.from(bytes)
  for (let count = 1 + next(4); count > 0; count--) {
    // Half of the changes are where formats have their headers and directories.
    const at = [next(bytes.length), next(Math.min(200, bytes.length))][next(2)] ?? 0
    changed[at] = next(2) ? next(256) : (changed[at] ?? 0) ^ (1 << next(8))
  }
  return changed
}

const rounds = 60

test.each(Object.entries(files))("A damaged %s file is read or rejected", async (name, bytes) => {
  const next = seededIntegers(name.length)
  expect(await outcomeOf(vic, bench.file(name, bytes))).toBeNumber()
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const outcome = await outcomeOf(vic, bench.file(name, damaged(bytes, next)))
    if (typeof outcome === "number") expect(outcome).toBeLessThan(10_000)
    else refused++
  }
  expect(refused).toBeGreaterThan(0)
})

test.each(["gzip", "zip"])("A changed byte in a %s file's data is never loaded", async (name) => {
  const bytes = files[name] ?? Buffer.alloc(0)
  const next = seededIntegers(3)
  const plain = await outcomeOf(vic, bench.file(name, bytes))
  for (let round = 0; round < 60; round++) {
    const changed = Buffer.from(bytes)
    const at = 60 + next(300)
    changed[at] = (changed[at] ?? 0) ^ (1 << next(8))
    const outcome = await outcomeOf(vic, bench.file(name, changed))
    if (typeof outcome === "number") expect(outcome).toBe(plain as number)
  }
})

/** Longer than what shows the format of a file. */
const long = dbaseFile(
  names.map((name) => ({ name, type: "C", length: 200 })),
  rows,
)
const zipped = zipFile({
  "a.dbf": long,
  "a.shp": shapefile(rows.map(() => null)),
  "other.csv": `number,remark\n${"1,x\n".repeat(20_000)}`,
})

/** The checksum of an entry is 30 bytes before its name in the directory, which is at the end. */
function withOtherChecksum(entry: string): Buffer {
  const changed = Buffer.from(zipped)
  const at = changed.lastIndexOf(entry) - 30
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

const checksum = /do not match their checksum\. Download or save it again/

test("Tables and shapes in a zip or gzip file are checked after their last record, read or not", async () => {
  await bench.empty()
  const crs = wgs84
  for (const [damaged, bytes, message] of [
    ["dBase table", withOtherChecksum("a.dbf"), checksum],
    ["shapes", withOtherChecksum("a.shp"), checksum],
    ["table that the source does not read", withOtherChecksum("other.csv"), checksum],
    ["gzip file without its end", gzipSync(long).subarray(0, -8), /gzip data is truncated/],
  ] as const) {
    const refusal = await bench.refusal("vic", [bench.file("damaged", bytes)], { crs })
    expect([damaged, refusal]).toEqual([damaged, expect.stringMatching(message)])
  }
  expect(await bench.releases()).toBe(0)
  expect((await bench.load("vic", [bench.file("whole", zipped)], { crs })).release).toBe(1)
})

const stored = () => bench.sql`select id, holder_name from tenements order by id`

test.each(["csv", "zip"])("A damaged %s file publishes all or nothing", async (name) => {
  const bytes = files[name] ?? Buffer.alloc(0)
  const next = seededIntegers(name.length + 7)
  await bench.empty()
  await bench.load("vic", [bench.file(name, bytes)])
  for (let round = 0; round < 5; round++) {
    const [before, releases] = [await stored(), await bench.releases()]
    const outcome = await bench
      .load("vic", [bench.file(name, damaged(bytes, next))])
      .catch((error: unknown) => error)
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(LoadError)
      expect([...(await stored())]).toEqual([...before])
      expect(await bench.releases()).toBe(releases)
    }
  }
  bench.rejects()
})
