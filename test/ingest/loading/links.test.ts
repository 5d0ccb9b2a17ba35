/**
 * A tenement is linked to every company that holds it by its own or a subsidiary's name, and totals
 * follow the links.
 */
import { expect, test } from "bun:test"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const companies = `asx_code,company_name,is_active
QZA,Quarry Alpha Limited,true
QZB,Quarry Beta NL,false
QZC,Gamma Co,true
QZD,...,true
`
const subsidiaries = `id,name,parent_asx_code
s1,Quarry Pits Pty Ltd,QZA
s2,Joint Venture Pty Ltd,QZA
s3,Joint Venture Pty Ltd,QZC
s4,Parentless Pty Ltd,QZX
s5,"Quarry Alpha, Limited",QZA
`
const tenements = `id,tenement_id,state,holder_name
t1,E 01/1,WA,QUARRY ALPHA LTD
t2,E 01/2,WA,"Quarry Pits Pty. Limited; Somebody, Else"
t3,E 01/3,WA,JOINT VENTURE P/L
t4,E 01/4,WA,PARENTLESS PTY LTD
t5,E 01/5,WA,
t6,E 01/6,WA,"quarry beta no liability; QUARRY PITS PTY LTD; Quarry Alpha Limited"
t7,E 01/7,WA,---
`

async function loadAll() {
  await bench.load("companies", companies)
  await bench.load("subsidiaries", subsidiaries)
  return bench.load("tenements", tenements)
}

const codes = bench.linked
const totals = async () =>
  Object.fromEntries(
    (await bench.sql`select asx_code, total_tenements from companies order by 1`).map((row) => [
      row.asx_code,
      row.total_tenements,
    ]),
  )

test("A tenement is linked to every company that holds it by its own or a subsidiary's name, and counts for each", async () => {
  const summary = await loadAll()
  expect(await codes()).toEqual({
    t1: "QZA",
    t2: "QZA",
    t3: "QZA QZC",
    t4: "",
    t5: "",
    t6: "QZA QZB",
    t7: "",
  })
  expect(await totals()).toEqual({ QZA: 4, QZB: 1, QZC: 1, QZD: 0 })
  expect(await bench.companiesOfOtherTotals()).toEqual([])
  expect(summary.links).toEqual({
    linked: 4,
    directly: 2,
    declared: 0,
    declarations: { rows: 0, unmatched: 0, ambiguous: 0 },
    through_subsidiaries: 4,
    unlinked: 1,
    unlinked_holders: 2,
    known_groups: 0,
    by_state: { WA: { tenements: 7, of_companies: 5, linked: 4 } },
    changed: { tenements: 0, companies: 3 },
  })
  expect(formatSummary(summary)).toContain(
    "links of all sources: 7 tenements = 4 linked to a company + 1 with unlinked holders + 2 without a holder\n  linked by a company's name: 2, by a subsidiary's or confirmed holder's: 4, by a declaration: 0; some by several\n",
  )
})

test("Links follow names: only rows whose links change take the new release", async () => {
  await loadAll()
  const summary = await bench.load(
    "subsidiaries",
    subsidiaries.replace("s3,Joint Venture", "s3,Other Venture"),
  )
  expect(summary.links).toMatchObject({ changed: { tenements: 1, companies: 1 } })
  expect((await codes()).t3).toBe("QZA")
  expect(await totals()).toEqual({ QZA: 4, QZB: 1, QZC: 0, QZD: 0 })
  const touched = await bench.sql`
    select id from tenements where since_release = ${summary.release}
    union all select asx_code from companies where since_release = ${summary.release}`
  expect(touched.map(({ id }) => id)).toEqual(["t3", "QZC"])
})

test("A tenement whose only holder is no longer a company is not linked", async () => {
  await loadAll()
  const renamed = companies.replace("QZB,Quarry Beta NL", "QZB,Renamed NL")
  await bench.load("companies", renamed)
  expect((await codes()).t6).toBe("QZA")
  const gone = renamed.replace(/^QZA.*\n/m, "")
  await bench.load("companies", gone, { acceptShrink: true })
  expect(await codes()).toMatchObject({ t1: "", t2: "", t3: "QZC", t6: "" })
})

test("A load of reports does not change links", async () => {
  const summary = await bench.load(
    "reports",
    "hash,asx_code,title,published_at\nh1,QZA,T,2026-01-02T03:04:05Z\n",
  )
  expect(summary.release).not.toBeNull()
  expect(summary.links).toBeNull()
})

test.each([
  ["the ordinary share's, whose code is the shorter", ["QZMCA", true], ["QZM", true], "QZM"],
  [
    "that of the listed one, where the others are listed no longer",
    ["QZM", false],
    ["QZN", true],
    "QZN",
  ],
  [
    "the first in alphabetical order, where the codes are of one length",
    ["QZY", true],
    ["QZX", true],
    "QZX",
  ],
] as const)("The tenements of a name under several codes are %s", async (_, one, other, owner) => {
  const rows = [one, other].map(([code, isActive]) => `${code},Quarry Twin NL,${isActive}`)
  // A subsidiary of the other listing is one of the same company.
  const secondary = owner === one[0] ? other[0] : one[0]
  await bench.load("subsidiaries", `id,name,parent_asx_code\ns1,Twin Pits,${secondary}\n`)
  await bench.companies(...rows)
  await bench.holders("QUARRY TWIN NL", "Twin Pits")
  expect(await codes()).toEqual({ t0: owner, t1: owner })
  expect(await totals()).toEqual({ [secondary]: 0, [owner]: 2 })
})
