/**
 * An Excel workbook holds the same records as the table it was made from, and what it holds no value
 * of is never made up.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { formatSummary } from "../../src/loading/summary.ts"
import { zipFile } from "./packed-files.ts"
import { type Workbench, workbench } from "./workbench.ts"
import { type Cell, styled, styles, type WorkbookOptions, workbookFile } from "./workbook-file.ts"

let bench: Workbench
beforeAll(async () => {
  bench = await workbench()
})
afterAll(() => bench.close())
beforeEach(async () => {
  await bench.empty()
  bench.rejects()
})

type Sheets = Parameters<typeof workbookFile>[0]
const book = (sheets: Sheets, options?: WorkbookOptions) =>
  bench.file("book.xlsx", workbookFile(sheets, options))

const names = ["tno", "typedesc", "statussdsc", "own_name", "grant1_dt", "expl_dt", "hectares"]
const csv = `${names}
EL1,Exploration Licence,Current,"Quarry, Sons & <Co>",31/01/2020,30/01/2030,17.7
360,Mining Licence,Current,"  Beta ""x"" Pty Ltd",,,1529190000
`
const table: Cell[][] = [
  names,
  [
    "EL1",
    "Exploration Licence",
    "Current",
    "Quarry, Sons & <Co>",
    styled(styles.date, 43861),
    styled(styles.dateTime, 47513.5),
    { content: "<v>17.699999999999999</v>" },
  ],
  [
    360,
    "Mining Licence",
    "Current",
    '  Beta "x" Pty Ltd',
    null,
    null,
    { content: "<v>1.52919E9</v>" },
  ],
]

test("the same records as CSV and as a workbook publish nothing the second time", async () => {
  await bench.load("vic", csv)
  const summary = await bench.load("vic", [book({ Sheet1: table })])
  expect(summary.files).toEqual([
    expect.objectContaining({ name: "book.xlsx", read: 2, accepted: 2 }),
  ])
  expect(summary.files[0]).not.toHaveProperty("notes")
  expect(summary.release).toBeNull()
  await bench.empty()
  await bench.load("vic", [book({ Sheet1: table })])
  expect((await bench.load("vic", csv)).release).toBeNull()
})

test("a workbook is recognised by its content, and its digest is the file's", async () => {
  const path = bench.file("report.csv", workbookFile({ Sheet1: table }))
  const [file] = (await bench.load("vic", [path])).files
  const digest = new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex")
  expect(file).toMatchObject({ accepted: 2, sha256: digest })
})

const company = (cap: Cell, name: Cell = "Alpha", code: Cell = "QZA") => [
  ["ASX code", "Company name", "GICS industry group", "Market Cap"],
  [code, name, "Materials", cap],
]

/** With a second row that is valid: a load of rejected rows only is refused. */
const withValid = (cap: Cell) => [...company(cap), ...company(1, "Beta", "QZB").slice(1)]

async function companyOf(rows: Cell[][], options?: WorkbookOptions) {
  await bench.load("asx-directory", [book({ Sheet1: rows }, options)])
  const [row] = await bench.sql`
    select asx_code, company_name, market_cap_aud::float8 as cap from companies`
  return row as { asx_code: string; company_name: string; cap: number | null } | undefined
}

test.each([
  ["a formula's stored number", { content: "<f>A1*2</f><v>42</v>" }, 42],
  ["a formula's stored text", { attributes: ' t="str"', content: "<f>A1</f><v>1,529</v>" }, 1529],
  ["a formula's empty text", { attributes: ' t="str"', content: '<f>""</f><v></v>' }, null],
  ["text in the cell", { attributes: ' t="inlineStr"', content: "<is><t>$7</t></is>" }, 7],
  ["a number with a currency format", styled(styles.days, 7), 7],
])("%s is a value", async (_, cell, cap) => {
  expect((await companyOf(company(cell)))?.cap).toBe(cap)
})

test("rich text is one text, without its phonetic readings and with its line breaks", async () => {
  const rich = {
    attributes: ' t="inlineStr"',
    content:
      "<is><r><t>Alpha </t></r><r><t>&amp;_x000D_\nBeta_x005F_x</t></r><rPh><t>arufa</t></rPh></is>",
  }
  expect((await companyOf(company(1, rich)))?.company_name).toBe("Alpha &\r\nBeta_x")
})

test("a number is a code as it is shown", async () => {
  expect((await companyOf(company(1, "Alpha", 360)))?.asx_code).toBe("360")
  await bench.empty()
  expect((await companyOf(company(1, "Alpha", styled(styles.padded, 14))))?.asx_code).toBe("014")
})

test("a logical value is what the sheet shows and its CSV has, also where it is a code", async () => {
  const logical = (value: string): Cell => ({
    attributes: ' t="b"',
    content: `<v>${value}</v>`,
  })
  const rows = [["asx_code", "company_name", "is_active"]]
  await bench.load("companies", [...rows, ["TRUE", "FALSE", "FALSE"], ""].join("\n"))
  const cells = [logical("1"), logical("0"), logical("0")]
  expect((await bench.load("companies", [book({ Sheet1: [...rows, cells] })])).release).toBeNull()
  const [company] = await bench.sql`select asx_code, company_name, is_active from companies`
  expect(company).toEqual({ asx_code: "TRUE", company_name: "FALSE", is_active: false })
})

test.each([
  [
    "an error",
    { attributes: ' t="e"', content: "<f>1/0</f><v>#DIV/0!</v>" },
    "Market Cap is the error #DIV/0! (cell D2)",
  ],
  [
    "a formula without a value",
    { content: "<f>A1*2</f>" },
    "Market Cap has a formula without a stored value (cell D2)",
  ],
  [
    "a text that is not there",
    { attributes: ' t="s"', content: "<v>999</v>" },
    "Market Cap refers to a text that the workbook does not have (cell D2)",
  ],
  ["no number", { content: "<v>12x</v>" }, "Market Cap is not a number: 12x (cell D2)"],
  ["a percentage", styled(styles.percent, 0.7), 'market_cap_aud is not an integer: "70%"'],
  ["a day that never was", styled(styles.date, 60), "Market Cap is not a date: 60 (cell D2)"],
  ["a date", styled(styles.date, 43861), 'market_cap_aud is not an integer: "2020-01-31"'],
])("a row with %s is rejected, and says why", async (_, cell, reason) => {
  const [file] = (await bench.load("asx-directory", [book({ Sheet1: withValid(cell) })])).files
  expect(file).toMatchObject({ accepted: 1, rejected: 1, unreadable: 0 })
  expect(bench.rejects()).toEqual([expect.objectContaining({ line: 2, reason })])
})

test("an error in a column that is not read rejects nothing", async () => {
  const error = { attributes: ' t="e"', content: "<v>#N/A</v>" }
  const rows = company(1).map((row, nth) => [...row, nth === 0 ? "Notes" : error])
  expect(await companyOf(rows)).toMatchObject({ cap: 1 })
})

const granted = async (cell: Cell, options?: WorkbookOptions) => {
  const rows = [names, ["EL1", "Mining Licence", "Current", "A", cell, null, 1]]
  await bench.load("vic", [book({ Sheet1: rows }, options)])
  return (await bench.sql`select grant_date::text from tenements`)[0]?.grant_date
}

test.each([
  [styled(styles.date, 1), "1900-01-01"],
  [styled(styles.date, 59), "1900-02-28"],
  [styled(styles.date, 61), "1900-03-01"],
  [styled(styles.dateTime, 43861.99999), "2020-01-31"],
  [styled(styles.dateTime, 43861.9999999999), "2020-02-01"],
  [styled(styles.month, 43861), "2020-01-31"],
  [styled(styles.date, 0), null],
  [{ attributes: ' t="d"', content: "<v>2020-01-31T00:00:00</v>" }, "2020-01-31"],
  ["31/01/2020", "2020-01-31"],
])("%j is the day that the workbook shows: %s", async (cell, day) => {
  expect(await granted(cell as Cell)).toBe(day)
})

test("a workbook may count its days from 1904", async () => {
  expect(await granted(styled(styles.date, 42399), { date1904: true })).toBe("2020-01-31")
})

test("a time of day alone is no date", async () => {
  expect(await granted(styled(styles.time, 0.5))).toBeNull()
})

test("the service's own export, opened and saved as a workbook, loads back", async () => {
  const header = ["hash", "asx_code", "title", "type", "published_at", "url"]
  const cells = ["h1", "QZA", "'=Quarry update", null, "2026-03-01T22:04:05Z", null]
  await bench.load("reports", `${header}\n${cells.map((cell) => cell ?? "")}\n`)
  expect(await bench.load("reports", [book({ Sheet1: [header, cells] })])).toMatchObject({
    release: null,
  })
})

test("rows and columns that are not there, titles and blank rows change nothing", async () => {
  await bench.load("vic", csv)
  const wide = table.map((row) => [null, ...row, null, "  "])
  const spaced = [
    ["Tenements of Victoria"],
    null,
    [null, "As at July"],
    [" "],
    ...wide.slice(0, 2),
    null,
    ...wide.slice(2),
  ]
  // Column A has no name and no value.
  const summary = await bench.load("vic", [book({ Sheet1: spaced })])
  expect(summary.files[0]).toMatchObject({
    accepted: 2,
    rejected: 0,
    notes: ['2 lines above the header were skipped: "Tenements of Victoria", "As at July"'],
  })
  expect(summary.release).toBeNull()
})

test("rejected rows are numbered as the sheet shows them", async () => {
  const rows = [names, null, null, ["EL1"], [null, "Mining Licence", "Current", "A"]]
  await bench.load("vic", [book({ Sheet1: rows })])
  expect(bench.rejects()).toEqual([expect.objectContaining({ line: 5 })])
})

const notes: Cell[][] = [["Notes"], ["Made by hand"]]

test("the first sheet with the columns is read, and which it was is noted", async () => {
  const other = table.map((row, nth) => (nth === 0 ? row : [`X${row[0]}`, ...row.slice(1)]))
  const path = book(
    { Cover: notes, Empty: [], "R&D": table, Old: other, Lists: other },
    { hidden: ["Lists"] },
  )
  const summary = await bench.load("vic", [path])
  expect(summary.files[0]?.notes).toEqual([
    'the sheet "R&D" was read; "Old" has the columns too (--sheet names the one to read)',
  ])
  expect(formatSummary(summary)).toContain('\n  note: the sheet "R&D" was read; "Old" has')
  const ids = await bench.sql`select id from tenements order by id`
  expect(ids.map(({ id }) => id)).toEqual(["VIC-360", "VIC-EL1"])
})

test("beside one sheet with the columns, others are not worth a note", async () => {
  const [file] = (await bench.load("vic", [book({ Cover: notes, Data: table })])).files
  expect(file).not.toHaveProperty("notes")
})

test("the sheet that is asked for is read, also where it is hidden", async () => {
  const path = book({ Data: notes, Lists: table }, { hidden: ["Lists"] })
  const [file] = (await bench.load("vic", [path], { sheet: "lists" })).files
  expect(file).toMatchObject({ accepted: 2 })
  expect(await bench.refusal("vic", [path], { sheet: "Lost" })).toBe(
    'Cannot read book.xlsx: it has no sheet "Lost"; its sheets are "Data", "Lists"',
  )
  expect(await bench.refusal("vic", csv, { sheet: "Lists" })).toBe(
    "Cannot read rows.csv: it has no sheets, as only Excel workbooks do; leave out --sheet",
  )
})

test.each<[string, Sheets, RegExp]>([
  ["without rows", { A: [], B: [] }, /it has no sheet with rows/],
  ["with a header only", { A: [names] }, /it has a header but no rows/],
  [
    "of other columns",
    {
      A: [
        ["name", "colour"],
        ["EL1", "red"],
      ],
    },
    /the columns of its sheet "A" are not|its columns are not those of this source: found "name", "colour"/,
  ],
])("a workbook %s is refused", async (_, sheets, message) => {
  expect(await bench.refusal("vic", [book(sheets)])).toMatch(message)
})

const types = { "[Content_Types].xml": "<Types/>" }

test.each([
  ["a Word document", zipFile({ ...types, "word/document.xml": "<x/>" }), /it is a Word document/],
  [
    "a presentation",
    zipFile({ ...types, "ppt/presentation.xml": "<x/>" }),
    /it is a PowerPoint presentation/,
  ],
  [
    "a binary workbook",
    zipFile({ ...types, "xl/workbook.bin": "x" }),
    /it is a binary Excel workbook \(\.xlsb\)/,
  ],
  [
    "an OpenDocument file",
    zipFile({ mimetype: "application/vnd.oasis", "content.xml": "<x/>" }),
    /it is an OpenDocument file/,
  ],
  [
    "a workbook of cut XML",
    workbookFile(
      { A: table },
      { parts: { "xl/worksheets/sheet1.xml": "<worksheet><sheetData><row>" } },
    ),
    /it is a damaged workbook/,
  ],
  [
    "a workbook without its sheet",
    zipFile({
      ...types,
      "xl/workbook.xml": '<workbook><sheets><sheet name="A" id="r1"/></sheets></workbook>',
    }),
    /it is a damaged workbook/,
  ],
  [
    "a workbook that declares entities",
    workbookFile(
      { A: table },
      { parts: { "xl/sharedStrings.xml": '<!DOCTYPE a [<!ENTITY b "c">]><sst/>' } },
    ),
    /it is a damaged workbook/,
  ],
  [
    "a workbook of endless columns",
    workbookFile(
      { A: table },
      {
        parts: {
          "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row>${"<c><v>1</v></c>".repeat(20_000)}</row></sheetData></worksheet>`,
        },
      },
    ),
    /it is a damaged workbook/,
  ],
])("%s is refused as what it is", async (_, bytes, message) => {
  expect(await bench.refusal("vic", [bench.file("book.xlsx", bytes)])).toMatch(message)
  expect(await bench.releases()).toBe(0)
})

test("a workbook whose bytes have changed is refused", async () => {
  const bytes = zipFile({ "a.csv": csv })
  // In the stored checksum, which is in the directory too.
  for (const at of [14, bytes.indexOf("PK\u0001\u0002", 0, "latin1") + 16])
    bytes[at] = 1 ^ (bytes[at] ?? 0)
  expect(await bench.refusal("vic", [bench.file("a.zip", bytes)])).toMatch(
    /its contents do not match their checksum/,
  )
})

test("merged cells of several rows are refused, and those of titles, headers and other columns are not", async () => {
  const titled: Cell[][] = [["Tenements of Victoria"], ...table.map((row) => [...row, "note"])]
  const merging = (...references: string[]) => {
    const cells = references.map((reference) => `<mergeCell ref="${reference}"/>`).join("")
    return book({ A: titled }, { mergedCells: cells })
  }
  const [file] = (await bench.load("vic", [merging("A1:G1", "A1:A2", "H3:H4", "B4:C4")])).files
  expect(file).toMatchObject({ accepted: 2 })
  expect(await bench.refusal("vic", [merging("A1:G1", "D3:D4")])).toBe(
    "Cannot read book.xlsx: its cells D3:D4 are merged, so rows below the first have no value of their own; " +
      "unmerge them and fill in each row",
  )
})

const part = (rows: string) => ({
  "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
})

test.each<[string, string, RegExp]>([
  ["elements without end", "<a>".repeat(200), /its elements are nested too deeply/],
  [
    "an element of endless attributes",
    `<row ${Array.from({ length: 2000 }, (_, n) => `a${n}=""`).join(" ")}/>`,
    /an element has too many attributes/,
  ],
  ["more rows than a sheet has", "<row/>".repeat(1_048_577), /it has too many rows/],
  [
    "few bytes that are very many cells",
    '<row><c r="XFD1" t="str"><v> </v></c></row>'.repeat(12_300),
    /it has too many cells/,
  ],
  [
    "the same cell twice",
    '<row><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>',
    /the cells of row 2 are not in their order/,
  ],
  ["a cell without a column", '<row><c r="1"><v>1</v></c></row>', /a cell of row 2 has no column/],
  [
    "a column of very many letters",
    `<row><c r="${"Z".repeat(5000)}1"><v>1</v></c></row>`,
    /a row has too many columns/,
  ],
])("a sheet of %s is refused", async (_, rows, message) => {
  const header = `<row>${names.map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join("")}</row>`
  const bytes = workbookFile({ A: table }, { parts: part(`${header}${rows}`) })
  expect(await bench.refusal("vic", [bench.file("book.xlsx", bytes)])).toMatch(message)
})

test("a number is refused where it is not written as one", async () => {
  for (const written of ["0x10", "0b1", "1_000", "Infinity", "1e999"]) {
    const cell = { content: `<v>${written}</v>` }
    await bench.load("asx-directory", [book({ Sheet1: withValid(cell) })])
    expect(bench.rejects()).toEqual([
      expect.objectContaining({ reason: `Market Cap is not a number: ${written} (cell D2)` }),
    ])
  }
})

test("macros, and cells that only have a format, change nothing", async () => {
  await bench.load("vic", csv)
  const formatted = table.map((row) => [...row, { attributes: ' s="1"', content: "" }])
  const parts = { "xl/vbaProject.bin": "x", "[Content_Types].xml": "not XML" }
  const path = bench.file("book.xlsm", workbookFile({ A: formatted }, { parts }))
  expect((await bench.load("vic", [path])).release).toBeNull()
})
