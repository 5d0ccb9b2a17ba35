/** JSON, dBase and zip files are read record by record, and a damaged one is rejected. */
import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { qld } from "../../../src/ingest/sources/qld.ts"
import { wa } from "../../../src/ingest/sources/wa.ts"
import { type DbaseColumn, type DbaseOptions, dbaseFile, zipFile } from "./packed-files.ts"
import { outcomeOf, readFile, rowsOf } from "./readings.ts"
import { benchOfFile, type Workbench } from "./workbench.ts"

const bench = await benchOfFile()

const tenement = (nth: number, holder1 = "QUARRY ALPHA PTY LTD") => ({
  type: "MINING LEASE",
  tenstatus: "LIVE",
  holder1,
  fmt_tenid: `M 77/${nth}`,
  legal_area: 100,
  unit_of_me: "HA.",
  grantdate: "2001/07/01 08:00:00.000",
})
const polygon = {
  type: "Polygon",
  coordinates: [
    [
      [1.5, -2],
      [3, 4],
      [1.5, -2],
    ],
    [],
  ],
}
const feature = (properties: unknown) => ({
  type: "Feature",
  id: "x.1",
  geometry: polygon,
  properties,
})
const collection = (...features: unknown[]) => ({
  type: "FeatureCollection",
  name: { a: [] },
  features,
})

const documents: readonly [form: string, content: string][] = [
  ["GeoJSON on one line", JSON.stringify(collection(feature(tenement(1)), feature(tenement(2))))],
  [
    "GeoJSON in many lines",
    JSON.stringify(collection(feature(tenement(1)), feature(tenement(2))), null, 2),
  ],
  [
    "GeoJSON with a byte order mark",
    `\ufeff${JSON.stringify(collection(feature(tenement(1)), feature(tenement(2))))}`,
  ],
  [
    "one feature on each line",
    [1, 2].map((nth) => JSON.stringify(feature(tenement(nth)))).join("\n"),
  ],
  [
    "the response of an ArcGIS service",
    JSON.stringify({
      displayFieldName: "",
      fieldAliases: { features: "features" },
      fields: [{ name: "type", features: [1] }],
      features: [1, 2].map((nth) => ({
        attributes: tenement(nth),
        geometry: { rings: [[[1, 2]]] },
      })),
    }),
  ],
  ["a JSON array of records", JSON.stringify([tenement(1), tenement(2)])],
  ["a JSON array of features", JSON.stringify([feature(tenement(1)), feature(tenement(2))])],
]

test.each(documents)("%s is read without its geometry", async (_form, content) => {
  const rows = await rowsOf(wa, bench.file("given", content))
  expect(rows.map(({ raw }) => raw)).toEqual(
    [1, 2].map((nth) => ({
      reference: `M 77/${nth}`,
      type: "MINING LEASE",
      status: "LIVE",
      holder1: "QUARRY ALPHA PTY LTD",
      area: 100,
      unit: "HA.",
      granted: "2001/07/01 08:00:00.000",
    })),
  )
})

test("Braces, brackets, quotes and backslashes inside a string end no record, wherever a chunk ends", async () => {
  const awkward = 'A "B" \\ [C] {D}, é 矿 \\" LTD'
  // Longer than several chunks, so that every kind of character is at the end of one.
  const features = Array.from({ length: 4000 }, (_, nth) =>
    feature(tenement(nth, `${awkward} ${nth}`)),
  )
  const rows = await rowsOf(wa, bench.file("given", JSON.stringify(collection(...features))))
  expect(rows).toHaveLength(4000)
  for (const [nth, { raw }] of rows.entries()) {
    expect(raw).toMatchObject({ holder1: `${awkward} ${nth}` })
  }
})

test("An unreadable feature is rejected by its number, and the load continues", async () => {
  const content = JSON.stringify(
    collection(feature(tenement(1)), feature(null), 7, feature({ ...tenement(1), legal_area: 2 })),
  )
  const summary = await bench.load("wa", content)
  expect(summary.files[0]).toMatchObject({ read: 4, accepted: 1, rejected: 3, unreadable: 2 })
  const reason = "is not a JSON object with properties"
  expect(bench.rejects().map(({ row, ...reject }) => reject)).toEqual([
    { file: "rows.csv", feature: 2, reason },
    { file: "rows.csv", feature: 3, reason },
    {
      file: "rows.csv",
      feature: 4,
      reason: 'id "WA-M77-1" is already in feature 1, with different values',
    },
  ] as unknown as ReturnType<Workbench["rejects"]>)
})

test.each([
  { exceededTransferLimit: true },
  { properties: { exceededTransferLimit: true } },
  { exceededTransferLimit: "true" },
  { exceededTransferLimit: 1 },
  { numberMatched: 3, numberReturned: 2 },
  { numberMatched: "3" },
])("%j marks a file as incomplete", async (part) => {
  const isIncomplete = async (envelope: object) => {
    const document = { ...collection(feature(tenement(1)), feature(tenement(2))), ...envelope }
    const read = await readFile(wa, bench.file("given", JSON.stringify(document)))
    return read.isIncomplete
  }
  expect(await isIncomplete(part)).toBe(true)
  expect(await isIncomplete({ numberMatched: 2, exceededTransferLimit: false })).toBe(false)
})

test("A file marked as incomplete adds and changes records and removes none", async () => {
  const on = (day: number) => ({ observed: `2026-03-0${day}` })
  const features = Array.from({ length: 100 }, (_, nth) => feature(tenement(nth)))
  await bench.load("wa", JSON.stringify(collection(...features)), on(1))
  const changed = [feature(tenement(0, "NEW PTY LTD")), ...features.slice(1, 96)]
  const lacking = JSON.stringify({
    ...collection(...changed, feature(tenement(100))),
    exceededTransferLimit: true,
  })
  const first = await bench.load("wa", lacking, on(2))
  expect(first.changes).toEqual({ added: 1, changed: 1, removed: 0, deactivated: 0 })
  expect(formatSummary(first)).toContain(
    "  rows.csv is marked as incomplete, so no record counts as missing",
  )
  for (const options of [on(6), { ...on(8), removeMissingNow: true }]) {
    const { release, missing } = await bench.load("wa", lacking, options)
    expect([release, missing.missing]).toEqual([null, 0])
  }
})

const whole = JSON.stringify(collection(feature(tenement(1)), feature(tenement(2))))
const broken: readonly [what: string, content: string, message: RegExp][] = [
  ["cut inside a feature", whole.slice(0, -40), /it is truncated: its JSON does not end/],
  ["cut between features", whole.slice(0, -2), /it is truncated/],
  ["without features", '{"type":"FeatureCollection","features":[]}', /it has no records/],
  [
    "with an error instead of features",
    '{"type":"FeatureCollection","features":[],"error":{"code":400}}',
    /it has no records, but an error: \{"code":400\}/,
  ],
  ["followed by something else", `${whole}<html>`, /it is not a valid JSON document/],
  [
    "of another form",
    '[{"colour":"red"}]',
    /columns? "fmt_tenid"|its columns are not those of this source/,
  ],
]

test.each(broken)("A JSON file %s is rejected", async (_what, content, message) => {
  expect(await outcomeOf(wa, bench.file("given", content))).toMatch(message)
})

const columns: readonly DbaseColumn[] = [
  { name: "FMT_TENID", type: "C", length: 16 },
  { name: "TYPE", type: "C", length: 40 },
  { name: "TENSTATUS", type: "C", length: 10 },
  { name: "HOLDER1", type: "C", length: 40 },
  { name: "LEGAL_AREA", type: "N", length: 12 },
  { name: "UNIT_OF_ME", type: "C", length: 4 },
  { name: "GRANTDATE", type: "D", length: 8 },
  { name: "SURVEYED", type: "L", length: 1 },
  { name: "SHAPE_LEN", type: "F", length: 12 },
]
const record = (nth: number, holder: string | Buffer = "QUARRY ALPHA PTY LTD") => [
  `M 77/${nth}`,
  "MINING LEASE",
  "LIVE",
  holder,
  "100.5",
  "HA.",
  "20010701",
  "T",
  "1.25e+3",
]
const dbase = (rows: ReturnType<typeof record>[], options?: DbaseOptions) =>
  dbaseFile(columns, rows, options)

test("Text, numbers and dates of dBase III and IV are read, and deleted records skipped", async () => {
  const table = (version: number) =>
    bench.file("t.dbf", dbase([record(1), record(2), record(3)], { version, deleted: [2] }))
  for (const version of [0x83, 0x8b]) expect(await outcomeOf(wa, table(version))).toBe(2)
  const summary = await bench.load("wa", [table(0x03)])
  expect(summary.files[0]).toMatchObject({ read: 2, accepted: 2, counted: "records" })
  const [row] = await bench.sql`select id, area_km2, grant_date::text from tenements order by id`
  expect(row).toEqual({ id: "WA-M77-1", area_km2: 1.005, grant_date: "2001-07-01" })
})

test("A rejected dBase row is named by its record number, deleted records included", async () => {
  const table = dbase([record(1), record(2), ["", "", ""]], { deleted: [2] })
  await bench.load("wa", [bench.file("table.dbf", table)])
  expect(bench.rejects()).toMatchObject([
    {
      file: "table.dbf",
      record: 3,
      reason: "has no tenement reference with a number, from which its id is made",
    },
  ])
})

const texts: readonly [driver: number, bytes: Buffer, text: string][] = [
  [0x57, Buffer.from("CAF\xc9 \x96 NL", "latin1"), "CAFÉ – NL"],
  [0x57, Buffer.from("CAFÉ 矿 NL"), "CAFÉ 矿 NL"],
  [0x00, Buffer.from("CAFÉ NL"), "CAFÉ NL"],
  [0x00, Buffer.from("CAF\xc9 NL", "latin1"), "CAFÉ NL"],
  [0x02, Buffer.from("CAFÉ NL"), "CAFÉ NL"],
  // The column was truncated in the middle of a character.
  [0x00, Buffer.from(`${"A".repeat(39)}É`).subarray(0, 40), "A".repeat(39)],
  [0x57, Buffer.from(`${"É".repeat(19)}A矿`).subarray(0, 40), `${"É".repeat(19)}A`],
  [0x57, Buffer.from(`${"A".repeat(38)}–`).subarray(0, 40), "A".repeat(38)],
  // A letter of Windows-1252 is the last one of its column, or of a shorter value.
  [0x57, Buffer.from(`${"A".repeat(39)}\xc9`, "latin1"), `${"A".repeat(39)}É`],
  [0x00, Buffer.from("CAF\xc9", "latin1"), "CAFÉ"],
  [0x00, Buffer.from("S\xc3", "latin1"), "SÃ"],
]

test.each(texts)(
  "Text of a dBase file with the language driver %d is decoded",
  async (driver, bytes, text) => {
    const table = dbase([record(1, bytes)], { languageDriver: driver })
    const [row] = await rowsOf(wa, bench.file("t.zip", zipFile({ "layer/t.dbf": table })))
    expect(row?.raw).toMatchObject({ holder1: text })
  },
)

test("Letters of a DOS code page reject their row, and a truncated table is rejected", async () => {
  const rows = [record(1), record(2, Buffer.from("CAF\x90 NL", "latin1"))]
  const table = dbase(rows, { languageDriver: 2 })
  await bench.load("wa", [bench.file("t.dbf", table)])
  expect(bench.rejects()).toMatchObject([
    {
      record: 2,
      reason: "HOLDER1 is not text in UTF-8 or Windows-1252; save the table as CSV",
    },
  ])
  expect(await outcomeOf(wa, bench.file("cut.dbf", table.subarray(0, -20)))).toMatch(
    /it is truncated: it has 1 of 2 records/,
  )
  expect(await outcomeOf(wa, bench.file("none.dbf", dbase([])))).toMatch(/no rows/)
  expect(await outcomeOf(qld, bench.file("wa.dbf", table))).toMatch(/the source "wa"/)
})

test("The tables of a zip file are loaded together, and its other files skipped", async () => {
  const zip = zipFile({
    "README.txt": "read me",
    "shapes/a.shx": "index",
    "shapes/a.dbf": dbase([record(1)]),
    "b.geojson": JSON.stringify(collection(feature(tenement(2)))),
    "c.csv.gz": gzipSync("fmt_tenid,type,tenstatus,holder1\nM 77/3,MINING LEASE,LIVE,X\n"),
  })
  const path = bench.file("register.zip", zip)
  const summary = await bench.load("wa", [path])
  expect(summary.files.map(({ name, accepted }) => [name, accepted])).toEqual([
    ["register.zip/a.dbf", 1],
    ["register.zip/b.geojson", 1],
    ["register.zip/c.csv.gz", 1],
  ])
  const sha256 = new Bun.CryptoHasher("sha256").update(zip).digest("hex")
  expect(summary.files.map((file) => file.sha256)).toEqual([sha256, sha256, sha256])
  expect((await bench.load("wa", [path])).release).toBeNull()
})

test("The tables of a zip file with the source's columns load, and the summary names the others", async () => {
  const other = "number,remark\n1,x\n"
  const table = dbase([record(1)])
  const zip = zipFile({ "a/notes.csv": other, "b.dbf": table, "c.dbf": dbase([record(2)]) })
  const summary = await bench.load("wa", [bench.file("register.zip", zip)])
  expect(summary.files.map(({ name, accepted }) => [name, accepted])).toEqual([
    ["register.zip/b.dbf", 1],
    ["register.zip/c.dbf", 1],
  ])
  const [note = ""] = summary.files.flatMap(({ notes = [] }) => notes)
  expect(note).toStartWith(
    'register.zip/notes.csv was not read: its columns are not those of this source: found "number", "remark"',
  )
  const damaged = zipFile({ "b.dbf": table, "c.dbf": table.subarray(0, -20) })
  expect(await bench.refusal("wa", [bench.file("damaged.zip", damaged)])).toStartWith(
    "Cannot read damaged.zip/c.dbf: it is truncated",
  )
})

test("The MapInfo table beside a shapefile is skipped, and text of its extensions is read", async () => {
  const table = dbase([record(1)])
  const zip = zipFile({
    "a.dbf": table,
    "A.TAB": "!table\n!version 300\n",
    "a.DAT": table,
    "a.map": Buffer.alloc(512),
    "a.id": Buffer.alloc(4),
    "a.ind": Buffer.alloc(4),
    "b.tab": "fmt_tenid\ttype\ttenstatus\tholder1\nM 77/3\tMINING LEASE\tLIVE\tX\n",
  })
  const { files } = await bench.load("wa", [bench.file("register.zip", zip)])
  expect(files.map(({ name, read }) => [name, read])).toEqual([
    ["register.zip/a.dbf", 1],
    ["register.zip/b.tab", 1],
  ])
})

const zips: readonly [what: string, content: Buffer, message: RegExp][] = [
  ["truncated", zipFile({ "a.dbf": dbase([record(1)]) }).subarray(0, -9), /truncated or corrupt/],
  ["corrupt", damaged(zipFile({ "a.csv": "fmt_tenid".repeat(99) })), /truncated or corrupt/],
  [
    "of a workbook",
    zipFile({ "[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>" }),
    /it is a workbook or another office document\. Save the sheet as CSV$/,
  ],
  [
    "without a table",
    zipFile({ "a/": "", "a/read me.txt": "x", "a/a.prj": "y", "a/a.SHP": "z", ".b.csv": "" }),
    /^Cannot read bad\.zip: the zip file contains no table\. Not taken from the zip file: a\/read me\.txt \(a document\), a\/a\.prj \(a setting of a shapefile\), a\/a\.SHP \(geometry or an index\), \.b\.csv \(hidden\)$/,
  ],
  [
    "whose tables are of another source",
    zipFile({ "notes.csv": "number,remark\n1,x\n", "a.csv": "number\n1\n", "a.shp": "z" }),
    /^Cannot read bad\.zip\/notes\.csv: its columns are not those of this source: found "number", "remark"; .*\. Not taken from the zip file: a\.csv \(another table\), a\.shp \(geometry or an index\)$/,
  ],
  [
    "with a path outside of it",
    zipFile({ "../a.csv": "fmt_tenid" }),
    /^Cannot read bad\.zip: one of its files has a path outside of it: \.\.\/a\.csv\. Pack its files again/,
  ],
  [
    "of a zip",
    zipFile({ "a.zip": zipFile({ "a.csv": "x" }) }),
    /it is a zip file or a workbook inside another file or on standard input/,
  ],
]

function damaged(zip: Buffer): Buffer {
  zip.fill(0xff, 36, 44)
  return zip
}

test.each(zips)("A zip file %s is rejected", async (_what, content, message) => {
  expect(await outcomeOf(wa, bench.file("bad.zip", content))).toMatch(message)
})

test("A shapefile's geometry is rejected, and the message names the file to load", async () => {
  const shp = Buffer.concat([Buffer.from([0, 0, 0x27, 0x0a]), Buffer.alloc(200)])
  expect(await outcomeOf(wa, bench.file("a.shp", shp))).toMatch(/the \.dbf file beside it/)
})
