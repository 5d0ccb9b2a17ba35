/**
 * The summary of a load has the totals of its files, a line for each of the first ten, those that somebody
 * should look at before the others, and each warning and note once.
 */
import { expect, test } from "bun:test"
import { type FileFigures, newFileFigures } from "../../../src/ingest/loading/figures.ts"
import { formatSummary, type LoadSummary } from "../../../src/ingest/loading/summary.ts"

const file = (nth: number, figures: Partial<FileFigures> = {}): FileFigures => ({
  ...newFileFigures(`part-${nth}.csv`),
  read: 1000,
  accepted: 1000,
  ...figures,
})

const summaryOf = (files: readonly FileFigures[]): LoadSummary => ({
  source: "vic",
  dryRun: false,
  release: null,
  observed: "2026-03-01T00:00:00Z",
  observedIsKnown: true,
  files,
  resource: "tenements",
  changes: { added: 0, changed: 0, removed: 0, deactivated: 0 },
  missing: { missing: 0, newly: 0, returned: 0, largest: [] },
  links: null,
  unconfirmed: undefined,
  rejectsFile: null,
  rejectsFault: null,
  seconds: 1.25,
})

const lines = (files: readonly FileFigures[]) => formatSummary(summaryOf(files)).split("\n")
const many = (count: number) => Array.from({ length: count }, (_, nth) => file(nth + 1))

const countsOf = (nth: number) => `  part-${nth}.csv: 1,000 rows read = 1,000 accepted + 0 rejected`

test("Up to ten files have a line each below their totals", () => {
  const files = many(10)
  expect(lines(files).slice(0, 3)).toEqual([
    "10 files: 10,000 rows read = 10,000 accepted + 0 rejected",
    countsOf(1),
    countsOf(2),
  ])
  expect(lines(files)).toHaveLength(13)
})

test("A single file has one line, with its warnings and notes below", () => {
  const warned = { rejected: 3, warnings: { "unknown status": 2 }, notes: ["it is UTF-16"] }
  expect(lines([file(1, warned)]).slice(0, 3)).toEqual([
    "part-1.csv: 1,000 rows read = 1,000 accepted + 3 rejected",
    "  warning: unknown status (2)",
    "  note: it is UTF-16",
  ])
})

test("The summary names an assumed time, and warns of an older day in a file's name", () => {
  const observed = "2026-03-01T04:05:06Z"
  const assumed = `data as of ${observed}, assumed: give the time of the files with --observed`
  const shown = (...names: string[]) => {
    const files = names.map((name) => ({ ...file(1), name }))
    const text = formatSummary({ ...summaryOf(files), observed, observedIsKnown: false })
    return text.split("\n").filter((line) => /^(data as of|warning)/.test(line))
  }
  expect(shown("rows.csv", "2026-03-01.csv", "2026-02-30.csv")).toEqual([assumed])
  for (const name of ["ASX_2026-02-27.csv", "20260227.zip", "wa 2026_02_27 x.csv"]) {
    expect(shown(name)).toEqual([
      assumed,
      `warning: ${name} names an older day: load it with --observed 2026-02-27`,
    ])
  }
  expect(shown(...Array.from({ length: 9 }, () => "2026-02-27.csv"))).toHaveLength(4)
  expect(lines([{ ...file(1), name: "2026-02-27.csv" }])).toHaveLength(3)
})

test("The summary of 1,838 unremarkable files has the first ten of them", () => {
  expect(lines(many(1838))).toEqual([
    "1,838 files: 1,838,000 rows read = 1,838,000 accepted + 0 rejected",
    ...many(10).map((_, nth) => countsOf(nth + 1)),
    "  1,828 more files; --json lists every file",
    "tenements: 1,838,000 accepted = 0 added + 0 changed + 1,838,000 unchanged; 0 removed",
    "No changes: nothing was published (1.3 s).",
  ])
})

test("A load that publishes nothing names the records that it found missing", () => {
  const missing = { missing: 1500, newly: 1200, returned: 0, largest: [] }
  expect(formatSummary({ ...summaryOf(many(1)), missing })).toEndWith(
    "No changes: nothing was published, but 1,200 records are newly missing (1.3 s).",
  )
})

test("The summary of a dry run ends as such, also where only links would change", () => {
  expect(formatSummary({ ...summaryOf(many(1)), dryRun: true })).toEndWith(
    "Dry run: nothing was published (1.3 s).",
  )
})

test("The counts, warnings and notes of many files are summed", () => {
  const files = many(20)
  const leftOut = { left_out: { "other sectors": 5 }, repeated: 1 }
  files[3] = file(4, { ...leftOut, warnings: { "status a": 2, "status b": 9 } })
  files[4] = file(5, { ...leftOut, warnings: { "status a": 3 }, notes: ["it is UTF-16"] })
  files[5] = file(6, { notes: ["it is UTF-16"] })
  expect(lines(files)[0]).toBe(
    "20 files: 20,000 rows read = 20,000 accepted + 0 rejected + 2 repeated + 10 left out (other sectors)",
  )
  expect(lines(files).slice(12, -2)).toEqual([
    "  warning: status b (9 in part-4.csv)",
    "  warning: status a (5 in 2 files)",
    "  note: it is UTF-16 (2 files)",
  ])
})

test("Files with rejected rows come first, most first, then those whose rows are left out", () => {
  const files = many(30)
  files[7] = file(8, { accepted: 998, rejected: 2 })
  files[8] = file(9, { accepted: 990, rejected: 10, unreadable: 1 })
  files[20] = file(21, { accepted: 0, left_out: { "moratorium areas": 1000 } })
  const shown = lines(files)
  expect(shown.slice(0, 5)).toEqual([
    "30 files: 30,000 rows read = 28,988 accepted + 12 rejected + 1,000 left out (moratorium areas)",
    "  part-9.csv: 1,000 rows read = 990 accepted + 10 rejected",
    "  part-8.csv: 1,000 rows read = 998 accepted + 2 rejected",
    "  part-21.csv: 1,000 rows read = 0 accepted + 0 rejected + 1,000 left out (moratorium areas)",
    countsOf(1),
  ])
  expect(shown).toContain("  rows without a readable key: 1, so no record counts as missing")
})

test("The summary stays short, however many files have warnings", () => {
  const files = many(5000).map((each, nth) => ({
    ...each,
    rejected: nth,
    warnings: { [`unknown phrase ${nth}`]: 1 },
    notes: [`columns ignored: "${nth}"`],
  }))
  const text = lines(files)
  expect(text.length).toBeLessThan(80)
  expect(text).toContain("  4,990 more files; --json lists every file")
  expect(text).toContain("  4,950 more warnings; --json lists every file")
  expect(text).toContain("  4,990 more notes; --json lists every file")
})

test("The summary names the missing columns of each file whose rows are stored", () => {
  const leftOut = file(3, { accepted: 0, left_out: { areas: 1000 }, kept_fields: ["geometry"] })
  const text = lines([file(1, { kept_fields: ["area_km2", "expiry_date"] }), file(2), leftOut])
  expect(text.filter((line) => line.includes("stored values stay"))).toEqual([
    "  note: no usable column for area_km2, expiry_date; stored values stay (part-1.csv)",
  ])
})
