/** Exports of the service load unchanged, in every text format and from standard input. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const stored = () =>
  bench.sql`
  select hash, asx_code, title, type, published_at at time zone 'UTC' as at, url
  from reports order by hash`.then((rows) => rows.map((row) => Object.values(row)))

const at = new Date("2026-03-01T22:04:05Z")

/** As the service exports them: formula guard, doubled quotes, a line break, CRLF. */
const exported = [
  "hash,asx_code,title,type,published_at,url",
  "h1,QZA,'=Quarry update,,2026-03-01T22:04:05Z,",
  'h2,QZA,"two\r\nlines, ""quoted""",A; B,2026-03-01T22:04:05Z,https://example.com/a',
  "",
].join("\r\n")

test("An export loads back, formula guard and line breaks included", async () => {
  const summary = await bench.load("reports", `\ufeff${exported}`)
  expect(summary.files[0]).toMatchObject({ accepted: 2, rejected: 0 })
  expect(await stored()).toEqual([
    ["h1", "QZA", "=Quarry update", null, at, null],
    ["h2", "QZA", 'two\r\nlines, "quoted"', "A; B", at, "https://example.com/a"],
  ])
  expect((await bench.load("reports", exported)).release).toBeNull()
})

test("Computed columns of an export are accepted and ignored", async () => {
  const companies =
    "asx_code,company_name,market_cap_aud,gics_sector,gics_industry_group,total_tenements,is_active\r\nQZA,Alpha,,,,17,TRUE\r\n"
  await bench.load("companies", companies)
  const [row] = await bench.sql`select total_tenements, is_active from companies`
  expect(row).toEqual({ total_tenements: 0, is_active: true })
})

test("TSV and NDJSON contain the same records as CSV", async () => {
  await bench.load("reports", exported.replace("two\r\nlines, ", "one line, "))
  const tsv = [
    "hash\tasx_code\ttitle\ttype\tpublished_at\turl",
    "h1\tQZA\t'=Quarry update\t\t2026-03-01T22:04:05Z\t",
    'h2\tQZA\tone line, "quoted"\tA; B\t2026-03-01T22:04:05Z\thttps://example.com/a',
    "",
  ].join("\r\n")
  expect((await bench.load("reports", tsv)).release).toBeNull()
  const ndjson = [
    {
      hash: "h1",
      asx_code: "QZA",
      title: "=Quarry update",
      published_at: "2026-03-02T08:04:05+10:00",
    },
    {
      url: "https://example.com/a",
      hash: "h2",
      asx_code: "qza",
      title: 'one line, "quoted"',
      type: "A; B",
      published_at: "2026-03-01T22:04:05.999Z",
    },
  ]
  const lines = ndjson.map((record) => JSON.stringify(record)).join("\n")
  expect((await bench.load("reports", lines)).release).toBeNull()
})

test("NDJSON rows that are not objects, or have an unknown name in them, are rejected", async () => {
  const report = { hash: "h1", asx_code: "QZA", title: "T", published_at: "2026-03-01T22:04:05Z" }
  const lines = [
    JSON.stringify(report),
    "",
    "[1]",
    JSON.stringify({ ...report, hash: "h2", heading: "?" }),
    JSON.stringify({ ...report, hash: "h3", title: "half \ud83d" }),
    JSON.stringify({ ...report, hash: "h5", asx_code: 360 }),
  ].join("\n")
  const summary = await bench.load("reports", lines)
  expect(summary.files[0]).toMatchObject({ read: 5, accepted: 1, rejected: 4 })
  expect(bench.rejects().map(({ line, reason }) => [line, reason])).toEqual([
    [3, "is not a JSON object"],
    [4, 'unknown column "heading"'],
    [5, "title contains an unpaired surrogate"],
    [6, "asx_code is not text: 360"],
  ])
})

test("Control characters become blanks, which a warning counts, and U+FFFD stays", async () => {
  const register = await bench.load(
    "vic",
    "tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares\n" +
      "EL1\u007f,Mining\u0001Licence,\u001bCurrent,A\0B\ufffd PTY LTD,,,100\n",
  )
  expect(await bench.tenements()).toEqual({
    "VIC-EL1": "EL1 | VIC | granted | mining | A B\ufffd PTY LTD | – | – | 1",
  })
  const counted = "had control characters, which became blanks"
  expect(register.files[0]?.warnings).toEqual({
    [`reference ${counted}`]: 1,
    [`type ${counted}`]: 1,
    [`status ${counted}`]: 1,
    [`holder ${counted}`]: 1,
  })
  const index = await bench.load(
    "asx-announcements",
    "ticker,documentKey,date,headline,announcementTypes\n" +
      `QZA,k1,2026-03-01T22:04:05Z,One\u0007two,"[""A\\u0001B"",""C\ufffd""]"\n`,
  )
  expect((await stored())[0]).toContainValues(["One two", "A B; C\ufffd"])
  expect(index.files[0]?.warnings).toEqual({ [`headline ${counted}`]: 1, [`type ${counted}`]: 1 })
})

test("A half of a character in a word that has no meaning is counted, not stored", async () => {
  const row = { tno: "EL1", typedesc: "Half \ud83d", statussdsc: "Current", own_name: "A" }
  const { files } = await bench.load("vic", `${JSON.stringify(row)}\n`)
  expect(files[0]?.warnings).toEqual({ 'type has no mapping for "Half \ufffd"': 1 })
})

test("Subsidiaries without an id get one that is the same in every load", async () => {
  const rows = [
    "Quarry (North) Pty Ltd,qza,Australia,100",
    "QUARRY NORTH PTY LIMITED,QZA,Australia,100",
    "矿业 Holdings GmbH,QZA,,33.5",
  ]
  const file = (body: string[]) =>
    ["name,parent_asx_code,country,ownership_percentage", ...body, ""].join("\n")
  const summary = await bench.load("subsidiaries", file(rows))
  expect(summary.files[0]).toMatchObject({ accepted: 2, rejected: 1 })
  expect(bench.rejects()[0]?.reason).toStartWith(
    'id "QZA-QUARRY-NORTH-PTY-LTD" is already in line 2',
  )
  const ids = (await bench.sql`select id from subsidiaries order by name`).map(({ id }) => id)
  expect(ids).toEqual([
    "QZA-QUARRY-NORTH-PTY-LTD",
    expect.stringMatching(/^QZA-HOLDINGS-GMBH-[0-9a-f]{16}$/),
  ])
  expect(
    (await bench.load("subsidiaries", file(rows.slice(0, 1).concat(rows.slice(2))))).release,
  ).toBeNull()
})

test("Standard input is read like a file, compressed or not", async () => {
  for (const input of [exported, Bun.gzipSync(exported.replace("Quarry", "Second"))]) {
    const loader = Bun.spawn(
      [process.execPath, join(import.meta.dir, "loader-process.ts"), bench.url, "reports", "-"],
      { stdin: new Blob([input]), stdout: "inherit", stderr: "inherit" },
    )
    expect(await loader.exited).toBe(0)
  }
  const files = await bench.sql`select manifest->'files'->0->>'name' as name from releases`
  expect(files.map(({ name }) => name)).toEqual(["standard input", "standard input"])
  expect((await stored())[0]?.[2]).toBe("=Second update")
})
