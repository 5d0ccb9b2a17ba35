/** A company's own schedule links its tenements by number, with any holder in the register. */
import { beforeEach, expect, test } from "bun:test"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { prune } from "../../../src/ingest/loading/prune.ts"
import { removeSource } from "../../../src/ingest/loading/remove-source.ts"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = "asx_code,state,tenement_id,interest_percent,as_at,url\n"
const declare = (rows: readonly string[], options = {}) =>
  bench.load("declared-tenements", header + rows.map((row) => `${row}\n`).join(""), {
    acceptShrink: true,
    ...options,
  })
const tenements = `id,tenement_id,state,holder_name
t1,E 04/1131-I,WA,Somebody
t2,E 41/131,WA,QUARRY ALPHA LTD
t3,E 04/1131,NT,Somebody
t4,E 4/1131,WA,Somebody Else
t5,M 5/7,WA,
`
const codes = bench.linked

beforeEach(async () => {
  await bench.companies("QZA,Quarry Alpha Limited,true", "QZB,Beta NL,true")
  await bench.load("tenements", tenements)
})

test("A declared number links every tenement of the state that has it, and the summary counts them", async () => {
  const summary = await declare([
    "qzb,WA,E0401131,51,2026-06-30,https://example.com/report.pdf",
    "QZB,WA,M05/0007,,,",
    "QZB,WA,E 99/1,100,,",
  ])
  expect(await codes()).toEqual({ t1: "QZB", t2: "QZA", t3: "", t4: "QZB", t5: "QZB" })
  expect(summary.links).toMatchObject({
    ...{ linked: 4, directly: 1, declared: 3, changed: { tenements: 3, companies: 1 } },
    declarations: { rows: 3, unmatched: 1, ambiguous: 1 },
  })
  expect(formatSummary(summary)).toContain(
    "  declared tenements: 3, of which several tenements have the number of 1, and none that of 1\n",
  )
  expect(await bench.companiesOfOtherTotals()).toEqual([])
})

test("A declared number that no tenement has links when one appears", async () => {
  await declare(["QZB,WA,E 99/1,100,,"])
  const { links } = await bench.load("tenements", `${tenements}t6,E 99/00001,WA,Somebody\n`)
  expect((await codes()).t6).toBe("QZB")
  expect(links?.declarations).toEqual({ rows: 1, unmatched: 0, ambiguous: 0 })
})

test("A load replaces the schedules of the companies that it names, and leaves the others", async () => {
  await declare(["QZA,WA,E 4/1131,,,", "QZA,WA,M 5/7,,,", "QZB,NT,E 4/1131,,,"])
  expect(await codes()).toEqual({ t1: "QZA", t2: "QZA", t3: "QZB", t4: "QZA", t5: "QZA" })
  const { changes } = await declare(["QZA,WA,M 5/7,30,,"])
  expect(changes).toEqual({ added: 0, changed: 1, removed: 1, deactivated: 0 })
  expect(await codes()).toEqual({ t1: "", t2: "QZA", t3: "QZB", t4: "", t5: "QZA" })
  await declare(["QZA,WA,E 4/1131,,,"], { partial: true })
  expect(await codes()).toEqual({ t1: "QZA", t2: "QZA", t3: "QZB", t4: "QZA", t5: "QZA" })
})

test("A schedule that lost many tenements stops the load, like any file that lacks records", async () => {
  await declare(Array.from({ length: 7 }, (_, index) => `QZA,WA,M 5/${index},,,`))
  const text = `${header}QZA,WA,M 5/0,,,\n`
  expect(await bench.refusal("declared-tenements", text)).toContain("--accept-shrink")
})

test("Links by declaration follow releases, and end with their source", async () => {
  const { release } = await declare(["QZB,WA,M 5/7,,,"])
  const history = await bench.sql`
    select asx_codes, until_release from tenements_history where id = 't5'`
  expect(Array.from(history)).toEqual([{ asx_codes: [], until_release: release }])
  await removeSource(bench.url, "declared-tenements", silent)
  expect((await codes()).t5).toBe("")
  await bench.sql`update releases set published_at = published_at - interval '90 days'`
  await prune(bench.url, 1)
  expect((await bench.sql`select from declared_tenements_history`).length).toBe(0)
})

test("A faulty row is rejected with its reason, and one of an unknown company or without a number links nothing", async () => {
  await bench.load("tenements", `${tenements}t6,?,WA,\n`)
  const { links } = await declare([
    "QZA,WA,-,,,",
    "QZX,WA,M 5/7,,,",
    "QZA,WA,M 5/7,0,,",
    "QZA,WA,M 5/8,101,30 June,ftp://x",
    "QZA,XX,E 1,,,",
  ])
  expect(bench.rejects().map(({ reason }) => reason)).toEqual([
    "interest_percent is not above 0: 0",
    'interest_percent is above 100: 101; as_at is not a date as YYYY-MM-DD: "30 June"; url is not an http or https URL: "ftp://x"',
    'state is not one of WA, NSW, QLD, VIC, SA, TAS, NT: "XX"',
  ])
  expect(links?.declarations).toEqual({ rows: 2, unmatched: 1, ambiguous: 0 })
  expect(await codes()).toMatchObject({ t5: "", t6: "" })
})
