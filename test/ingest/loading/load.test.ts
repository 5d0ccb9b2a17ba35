/** One load is one release or none, of exactly the records that differ. */
import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { holdLock } from "../../support/held-locks.ts"
import { until } from "../../support/until.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = "asx_code,company_name,market_cap_aud,gics_sector,is_active"
const companies = (...rows: string[]) => `${[header, ...rows].join("\n")}\n`
const three = companies(
  "QZA,Quarry Alpha Limited,5000000000,Materials,true",
  "QZB,Quarry Beta NL,,Energy,true",
  'QZC,"Quarry, Gamma ""and"" Sons",12,Materials,false',
)

const current = () => bench.sql`
  select asx_code, company_name, market_cap_aud, is_active, source, since_release
  from companies order by asx_code`

test("A load is one numbered release, whose manifest names its files and counts", async () => {
  const observed = "2020-01-02T03:04:05Z"
  const summary = await bench.load("companies", three, { observed })
  expect(summary.release).toBe(1)
  expect(summary.changes).toEqual({ added: 3, changed: 0, removed: 0, deactivated: 0 })
  expect((await current()).map((row) => Object.values(row))).toEqual([
    ["QZA", "Quarry Alpha Limited", "5000000000", true, "companies", 1],
    ["QZB", "Quarry Beta NL", null, true, "companies", 1],
    ["QZC", 'Quarry, Gamma "and" Sons', "12", false, "companies", 1],
  ])
  const [release] = await bench.sql`select id, source, manifest from releases`
  expect(release).toEqual({
    id: 1,
    source: "companies",
    manifest: {
      observed,
      observed_is_known: true,
      holder_names: "all",
      files: [
        {
          name: "rows.csv",
          sha256: new Bun.CryptoHasher("sha256").update(three).digest("hex"),
          read: 3,
          accepted: 3,
          rejected: 0,
          unreadable: 0,
          repeated: 0,
          left_out: {},
          kept_fields: ["gics_industry_group"],
          warnings: {},
        },
      ],
      resources: { companies: { added: 3, changed: 0, removed: 0, deactivated: 0 } },
      links: {
        linked: 0,
        directly: 0,
        through_subsidiaries: 0,
        declared: 0,
        declarations: { rows: 0, unmatched: 0, ambiguous: 0 },
        unlinked: 0,
        unlinked_holders: 0,
        known_groups: 0,
        by_state: {},
        changed: { tenements: 0, companies: 0 },
      },
    },
  })
})

test("The same file loaded again publishes nothing, and the summary reports that", async () => {
  await bench.load("companies", three)
  const again = await bench.load("companies", three)
  expect(again.release).toBeNull()
  expect(formatSummary(again)).toContain("No changes: nothing was published")
  expect(await bench.releases()).toBe(1)
})

test("Only rows that differ are touched, and take the new release", async () => {
  await bench.load("companies", three)
  const summary = await bench.load(
    "companies",
    three.replace("Quarry Beta NL", "Quarry Beta Limited").replace(",12,", ",13,"),
  )
  expect(summary.changes).toEqual({
    added: 0,
    changed: 2,
    removed: 0,
    deactivated: 0,
  })
  expect((await current()).map((row) => row.since_release)).toEqual([1, 2, 2])
})

test("A complete load removes missing records; a partial load keeps them", async () => {
  const two = companies("QZA,Quarry Alpha Limited,5000000000,Materials,true", "QZD,D,,,true")
  await bench.load("companies", three)
  await bench.load("companies", two, { partial: true })
  expect((await current()).map((row) => row.asx_code)).toEqual(["QZA", "QZB", "QZC", "QZD"])
  const summary = await bench.load("companies", two, { acceptShrink: true })
  expect(summary.changes.removed).toBe(2)
  expect((await current()).map((row) => row.asx_code)).toEqual(["QZA", "QZD"])
})

test("All files of one load together are the complete set", async () => {
  await bench.load("companies", three)
  const summary = await bench.load("companies", [
    bench.file("a.csv", companies("QZA,Quarry Alpha Limited,5000000000,Materials,true")),
    bench.file("b.csv", three.replace(/^QZA.*\n/m, "")),
  ])
  expect(summary.release).toBeNull()
  expect(summary.files.map(({ name, read }) => [name, read])).toEqual([
    ["a.csv", 1],
    ["b.csv", 2],
  ])
})

test("A refusal names that the last load had more files", async () => {
  const alpha = bench.file("a.csv", companies("QZA,Quarry Alpha Limited,5000000000,Materials,true"))
  const six = Array.from({ length: 6 }, (_, index) => `Q0${index},C,,,true`)
  await bench.load("companies", [alpha, bench.file("b.csv", companies(...six))])
  expect(await bench.refusal("companies", [alpha])).toContain(
    "The last load of this source had 2 files, and this one has 1: load all of them together, or with --partial.",
  )
})

test("An invalid row is rejected with file, line and reason, and the rest is loaded", async () => {
  const summary = await bench.load(
    "companies",
    companies(
      'QZA,"Quarry',
      'Alpha",1,Materials,true',
      "QZB,Quarry Beta NL,1e9,Energy,maybe",
      "QZ,Too Short,,,true",
      "QZC,,,,true",
      "QZD,One column too few,,",
      'QZE,"a "quote",,,true',
      'QZE,"a "quote",,,true',
      "QZF,Quarry Zeta,,,true",
    ),
  )
  expect(summary.files[0]).toMatchObject({ read: 8, accepted: 2, rejected: 6, unreadable: 3 })
  expect((await current()).map((row) => row.asx_code)).toEqual(["QZA", "QZF"])
  expect(summary.rejectsFile).toStartWith(bench.directory)
  const rejects = bench.rejects()
  expect(rejects.map(({ file, line, reason }) => [file, line, reason])).toEqual([
    [
      "rows.csv",
      4,
      'market_cap_aud is not an integer: "1e9"; is_active is neither true nor false: "maybe"',
    ],
    ["rows.csv", 5, 'asx_code is malformed: "QZ"'],
    ["rows.csv", 6, "company_name is missing"],
    ["rows.csv", 7, "has 4 columns where the header has 5"],
    ["rows.csv", 8, "text follows a closing quote; double the quotes inside a quoted value"],
    ["rows.csv", 9, "text follows a closing quote; double the quotes inside a quoted value"],
  ])
  expect(rejects[0]?.row).toEqual({
    asx_code: "QZB",
    company_name: "Quarry Beta NL",
    market_cap_aud: "1e9",
    gics_sector: "Energy",
    is_active: "maybe",
  })
  expect(rejects[4]?.row).toBe('QZE,"a "quote",,,true\n')
})

test("The group of a report follows from its new title and its stored type, where a file has no column of types", async () => {
  const groups = async () =>
    (await bench.sql`select hash, report_group from reports order by hash`).map(
      (row) => `${row.hash} ${row.report_group}`,
    )
  const rows = (header: string, ...lines: string[]) => [header, ...lines].join("\n")
  await bench.load(
    "reports",
    rows(
      "hash,asx_code,title,type,published_at",
      "a,XMR,Update,Placement,2026-01-01T00:00:00Z",
      "b,XMR,Drilling update,,2026-01-01T00:00:00Z",
      "c,XMR,Update,,2026-01-01T00:00:00Z",
    ),
  )
  expect(await groups()).toEqual(["a capital", "b drilling", "c other"])
  await bench.load(
    "reports",
    rows(
      "hash,asx_code,title,published_at",
      "a,XMR,Drilling update,2026-01-01T00:00:00Z",
      "b,XMR,Update,2026-01-01T00:00:00Z",
      "c,XMR,Annual report,2026-01-01T00:00:00Z",
      "d,XMR,Annual report,2026-01-01T00:00:00Z",
    ),
  )
  expect(await groups()).toEqual(["a capital", "b other", "c annual", "d annual"])
})

test("A rejected row leaves the stored record of its key unchanged", async () => {
  await bench.load("companies", three)
  const summary = await bench.load("companies", three.replace("NL,,", "NL,lots,"))
  expect(summary.release).toBeNull()
  expect(bench.rejects()[0]?.reason).toBe('market_cap_aud is not an integer: "lots"')
})

const report = (hash: string) => `${hash},QZA,Title,,2026-01-02T03:04:05Z,https://example.com/x`
const reports = ["hash,asx_code,title,type,published_at,url", report("q1"), report("q2"), ""].join(
  "\n",
)
const subsidiaries = "name,parent_asx_code\nA PTY LTD,QZA\nB PTY LTD,QZA\n"
const declared = "asx_code,state,tenement_id\nQZA,WA,E 47/1\nQZA,WA,E 47/2\n"
const vic =
  "tno,typedesc,statussdsc,own_name\nEL1,Mining Licence,Current,X\nEL2,Mining Licence,Current,X\n"

test.each([
  ["that cannot be parsed", "companies", three, "Quarry Beta NL", '"Quarry "Beta" NL"'],
  ["whose key is malformed", "companies", three, "QZB", "QZ B"],
  ["whose key is blank", "companies", three, "QZB", " "],
  ["whose key is a dot segment of a path", "reports", reports, "q2", "../.."],
  [
    "of a company with a malformed code",
    "subsidiaries",
    subsidiaries,
    "A PTY LTD,QZA",
    "A PTY LTD,QZ",
  ],
  ["of a declaration with a malformed code", "declared-tenements", declared, "QZA", "QZ"],
  [
    "of a declaration in an unknown state",
    "declared-tenements",
    declared,
    "WA,E 47/1",
    "wa,E 47/1",
  ],
  ["without a reference", "vic", vic, "EL2", " "],
  ["whose reference has no letter or digit", "vic", vic, "EL2", "***"],
])(
  "A row %s leaves no record missing, since it may be any record's",
  async (_which, source, whole, from, to) => {
    await bench.load(source, whole)
    const summary = await bench.load(source, whole.replace(from, to), {
      acceptShrink: true,
      removeMissingNow: true,
    })
    expect([summary.release, summary.missing.missing]).toEqual([null, 0])
    expect(formatSummary(summary)).toContain(
      "  rows without a readable key: 1, so no record counts as missing",
    )
  },
)

test("A file with a row without a key adds and changes other records", async () => {
  await bench.load("companies", three)
  const next = `${three.replace("QZB", "QZ B").replace(",12,", ",13,")}QZD,Quarry Delta,,,true\n`
  expect((await bench.load("companies", next)).changes).toEqual({
    added: 1,
    changed: 1,
    removed: 0,
    deactivated: 0,
  })
})

test("More rejected rows than allowed end the load without a release", async () => {
  const bad = companies("QZA,Quarry Alpha,,,true", "B,b,,,true", "C,c,,,true")
  expect(await bench.refusal("companies", bad, { maxRejects: 1 })).toMatch(
    /^Too many rejected rows: 2 of 3 .* The first is rows\.csv, line 3: asx_code is malformed/,
  )
  expect(bench.rejects()).toHaveLength(2)
  expect(Array.from(await current())).toEqual([])
  expect(await bench.releases()).toBe(0)
  expect((await bench.load("companies", bad, { maxRejects: 2 })).release).toBe(1)
})

test("A load reports each of its steps, also where it publishes nothing", async () => {
  const steps: string[] = []
  const progress = { ...silent, step: (text: string) => steps.push(text) }
  await bench.load("companies", three, { progress, dryRun: true })
  expect(steps).toEqual([
    "Comparing companies",
    "Storing companies",
    "Linking tenements to companies",
  ])
})

test("The three most frequent reasons for rejected rows are warnings, also of a refused load", async () => {
  const bad = [
    ...["A", "B"].map((code) => `${code},Too short,,,true`),
    ...Array.from({ length: 1500 }, (_, nth) => `QZA,Named ${nth},x${nth},,true`),
    "QZB,,,,true",
    ...["QZC", "QZD", "QZE"].map((code) => `${code},Quarry,-${code.length},,true`),
  ]
  const warnings: string[] = []
  const progress = { ...silent, warn: (text: string) => warnings.push(text) }
  const rows = companies("QZF,Quarry,,,true", ...bad)
  await bench.load("companies", rows, { progress, maxRejects: 2000 })
  const expected = [
    '1,500 rows were rejected, the first in rows.csv, line 5: market_cap_aud is not an integer: "x0"',
    "3 rows were rejected, the first in rows.csv, line 1506: market_cap_aud is below 0: -3",
    '2 rows were rejected, the first in rows.csv, line 3: asx_code is malformed: "A"',
  ]
  expect(warnings.splice(0)).toEqual(expected)
  await bench.refusal("companies", rows, { progress })
  expect(warnings[0]).toMatch(
    / rows were rejected, the first in rows\.csv, line 5: market_cap_aud is not an/,
  )
})

test("A load whose rows are all rejected publishes nothing, whatever the limit", async () => {
  const bad = companies("A,Too short,,,true", "B,Too short,,,true")
  const refusal =
    /^Nothing was published: every row was rejected, 2 in all\. Check the source in the command\. The first is rows\.csv, line 2: asx_code is malformed: "A"\./
  for (const options of [{}, { partial: true }, { dryRun: true }, { maxRejects: 9 }])
    expect(await bench.refusal("companies", bad, options)).toMatch(refusal)
  await bench.load("asx-directory", "ASX code,Company name,GICS industry group\nQZA,A,Materials\n")
  expect(await bench.refusal("companies", companies("QZA,Quarry Alpha,,,true"))).toMatch(
    /every row was rejected, 1 in all.*belongs to the source asx-directory/,
  )
})

test("A file that cannot be opened leaves no trace of the load", async () => {
  const path = bench.file("rows.csv", three)
  const absent = `${bench.directory}/nonexistent.csv`
  expect(await bench.refusal("companies", [path, absent])).toBe(
    `Cannot read ${absent}: no such file`,
  )
  expect(await bench.refusal("companies", [bench.directory])).toMatch(/: it is a directory$/)
  const traces = await bench.sql`
    select name from sources`
  expect(Array.from(traces)).toEqual([])
})

test("The first row of a key is kept: an identical one is counted, a different one rejected", async () => {
  const summary = await bench.load("companies", [
    bench.file("first.csv", three),
    bench.file("second.csv", `${three}QZA,Another name,,,true\nQZA,Another name,,,true\n`),
  ])
  expect(
    summary.files.map(({ accepted, repeated, rejected }) => [accepted, repeated, rejected]),
  ).toEqual([
    [3, 0, 0],
    [0, 3, 2],
  ])
  expect(bench.rejects()[0]).toEqual({
    file: "second.csv",
    line: 5,
    reason: 'asx_code "QZA" is already in first.csv, line 2, with different values',
    row: {
      asx_code: "QZA",
      company_name: "Another name",
      market_cap_aud: null,
      gics_sector: null,
      gics_industry_group: null,
      is_active: true,
    },
  })
})

test("A load that would remove more than 5%, and more than five records, is rejected with the counts, without acceptShrink", async () => {
  const many = Array.from(
    { length: 140 },
    (_, index) => `Q${String(index).padStart(3, "0")},C,,,true`,
  )
  await bench.load("companies", companies(...many))
  expect(await bench.refusal("companies", companies(...many.slice(8)))).toMatch(
    /^Nothing was published: 8 of the 140 companies of the source companies \(5\.7%\)/,
  )
  expect(await bench.releases()).toBe(1)
  const within = await bench.load("companies", companies(...many.slice(6)))
  expect(within.changes.removed).toBe(6)
  const accepted = await bench.load("companies", companies(...many.slice(20)), {
    acceptShrink: true,
  })
  expect(accepted.changes.removed).toBe(14)
})

test("A load may remove up to five records of a short file", async () => {
  const ten = Array.from({ length: 10 }, (_, index) => `Q0${index},C,,,true`)
  await bench.load("companies", companies(...ten))
  const loads = [companies(...ten.slice(1)), companies(...ten.slice(6))]
  for (const removed of [1, 5]) {
    expect((await bench.load("companies", loads.shift() ?? "")).changes.removed).toBe(removed)
  }
})

test("A dry run reports the counts of the load and publishes nothing", async () => {
  const observed = "2020-01-02T03:04:05Z"
  const dry = await bench.load("companies", three, { dryRun: true, observed })
  expect(dry.release).toBeNull()
  expect(await bench.releases()).toBe(0)
  expect(Array.from(await current())).toEqual([])
  const real = await bench.load("companies", three, { observed })
  expect<unknown>({ ...dry, dryRun: false, release: 1, seconds: 0 }).toEqual({
    ...real,
    seconds: 0,
  })
})

test("A compressed file loads whatever its name, and its digest is that of the compressed file", async () => {
  const packed = gzipSync(three)
  const summary = await bench.load("companies", [bench.file("packed.csv", packed)])
  expect(summary.files[0]?.sha256).toBe(new Bun.CryptoHasher("sha256").update(packed).digest("hex"))
  expect(summary.files[0]?.accepted).toBe(3)
})

test("Releases are numbered consecutively, and none is dated before the previous one", async () => {
  await bench.load("companies", three)
  await bench.sql`update releases set published_at = '2199-01-01Z'`
  await bench.load("companies", three.replace("Beta", "Bravo"))
  const rows = await bench.sql`select id, published_at::text as at from releases order by id`
  expect(rows.map(({ id, at }) => [id, at])).toEqual([
    [1, "2199-01-01 00:00:00+00"],
    [2, "2199-01-01 00:00:00+00"],
  ])
})

test("A release is dated after all other work of its load, so that no past moment changes its release", async () => {
  const rows = (name: string) => `asx_code,company_name,is_active\nQZA,${name},true\n`
  await bench.load("companies", rows("Alpha"))
  // The load records its outcome in this table.
  await using lock = await holdLock(bench.sql, "lock table sources in share row exclusive mode")
  const loading = bench.load("companies", rows("Beta"))
  await until(lock.isAwaited)
  const second = async () => {
    const [row] = await bench.sql`select date_trunc('second', clock_timestamp()) as second`
    return Number(row?.second)
  }
  const waited = await second()
  await until(async () => (await second()) > waited)
  await lock.release()
  await loading
  const [release] = await bench.sql`select published_at, last_changed_at, last_release from releases
    join sources on last_release = id where id = 2`
  expect(Number(release?.published_at)).toBeGreaterThan(waited)
  expect(release?.last_changed_at).toEqual(release?.published_at)
})
