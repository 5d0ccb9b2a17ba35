/**
 * Whatever bytes of a file are cut off or changed, a load of it is refused or loads what the file
 * then says; it never fails in another way, never publishes a part, and takes no more memory.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { LoadError } from "../../src/loading/load-error.ts"
import { vic } from "../../src/sources/vic.ts"
import { seededIntegers } from "../support/seeded.ts"
import { dbaseFile, zipFile } from "./packed-files.ts"
import { outcomeOf } from "./readings.ts"
import { type Workbench, workbench } from "./workbench.ts"
import { styled, styles, workbookFile } from "./workbook-file.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())

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
  utf16: Buffer.from(table(","), "utf16le"),
  windows: Buffer.from(table(","), "latin1"),
  ndjson: Buffer.from(objects.map((object) => JSON.stringify(object)).join("\n")),
  geojson: Buffer.from(collection),
  script: Buffer.from(`var tenements = ${collection};\n`),
  dbase,
  gzip: gzipSync(table(",")),
  zip: zipFile({ "a.csv": table(","), "b.dbf": dbase }),
  workbook: workbookFile({
    Notes: [["by hand"]],
    Data: [names, ...rows.map((row) => [...row.slice(0, 4), styled(styles.date, 43861), 1])],
  }),
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

const rounds = 150

test.each(Object.entries(files))("a damaged %s file is read or refused", async (name, bytes) => {
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

test.each(["gzip", "zip", "workbook"])(
  "no changed byte of a %s file's data is loaded",
  async (name) => {
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
  },
)

const stored = () => bench.sql`select id, holder_name from tenements order by id`

test.each(Object.entries(files))(
  "a damaged %s file publishes all or nothing",
  async (name, bytes) => {
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
  },
)

const manyA = "A".repeat(6_000_000)
const sheet = (content: string) => ({ "xl/worksheets/sheet1.xml": `<worksheet>${content}` })

test.each([
  ["a text without end", { parts: sheet(`<row><c t="str"><v>${manyA}</v></c>`) }],
  ["an attribute without end", { parts: sheet(`<row r="${manyA}">`) }],
  ["a tag without end", { parts: sheet(`<${manyA}`) }],
  ["a shared text without end", { parts: { "xl/sharedStrings.xml": `<sst><si><t>${manyA}` } }],
  ["a comment without end", { parts: sheet(`<!-- ${manyA}`) }],
])("%s in a workbook is refused while it is read", async (_, options) => {
  const path = bench.file("bomb.xlsx", workbookFile({ A: [names] }, options))
  expect(await outcomeOf(vic, path)).toMatch(/^Cannot read bomb\.xlsx: it is a damaged workbook/)
})
