/**
 * Every filter selects exactly the records that its description says, compared with a filter of the
 * loaded records in memory (interface specification, section 4).
 */
import { expect, test } from "bun:test"
import { awkward, tenementsOf } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { crawl } from "./crawl.ts"
import { folded, holdersOf, nameKey } from "./oracle.ts"

const service = await serviceOfFile()

const { companies, tenements, reports } = awkward

/** The records that a filter must return, computed here. A case without records fails. */
async function expectMatches(
  path: string,
  parameters: Record<string, string>,
  key: string,
  matching: readonly object[],
) {
  const found = await crawl(service, `${path}?${new URLSearchParams(parameters)}`, 3)
  const keys = (records: readonly object[]) =>
    records.map((record) => Reflect.get(record, key)).sort()
  expect([parameters, keys(found)]).toEqual([parameters, keys(matching)])
}

const includes = (whole: string | null, part: string) => folded(whole ?? "").includes(folded(part))
const same = (a: string | null, b: string) => folded(a ?? "") === folded(b)

const active = companies.filter(({ is_active }) => is_active)
const texts = [
  "ore",
  "ORE",
  "%",
  "_",
  "\\",
  "100%",
  "Under_",
  "k\\s",
  "straße",
  "STRASSE",
  "STRAßE",
  "ångström",
  "A\u030angström",
  "café",
  "λογος",
  "ΛΟΓΟΣ",
  "λόγος",
  "istanbul",
  "İSTANBUL",
  "😀",
  '"',
  "'",
  "e",
  "1e5",
  "null",
  ", l",
  "a\tb",
  "\n",
]

test.each(texts)(
  "A search for %j on companies matches part of the name or the code",
  async (search) => {
    const matching = active.filter(
      ({ company_name, asx_code }) => includes(company_name, search) || includes(asx_code, search),
    )
    await expectMatches("/companies", { search }, "asx_code", matching)
  },
)

test.each(["Materials", "materials", "ENERGY", "métaux PRÉCIEUX", "Mate", "%", "Materials "])(
  "The filter sector=%j matches whole values in any case",
  async (sector) => {
    const matching = active.filter(({ gics_sector }) => gics_sector && same(gics_sector, sector))
    await expectMatches("/companies", { sector }, "asx_code", matching)
  },
)

test("Only active companies are listed, unless the others are requested", async () => {
  const gone = companies.filter(({ is_active }) => !is_active)
  await expectMatches("/companies", {}, "asx_code", active)
  await expectMatches("/companies", { active: "true" }, "asx_code", active)
  await expectMatches("/companies", { active: "false" }, "asx_code", gone)
  await expectMatches("/companies", { active: "false", search: "TOO" }, "asx_code", [gone[1] ?? {}])
})

test.each(["WA", "NSW", "QLD", "VIC", "SA", "TAS", "NT"])(
  "The filter state=%s matches exactly",
  async (state) => {
    const matching = tenements.filter((tenement) => tenement.state === state)
    expect(matching.length).toBeGreaterThan(0)
    await expectMatches("/tenements", { state }, "id", matching)
  },
)

test.each(["granted", "GRANTED", "pending", "grant", "null"])(
  "A filter by status, %s, matches the whole status in any case",
  async (status) => {
    const matches = (tenement: { status: string | null }) => same(tenement.status, status)
    await expectMatches("/tenements", { status }, "id", tenements.filter(matches))
    const ofBig = tenementsOf(tenements, "BIG")
    await expectMatches("/companies/big/tenements", { status }, "id", ofBig.filter(matches))
  },
)

test.each(["exploration", "MINING lease", "mining"])(
  "A filter by type, %s, matches the whole type of a tenement in any case",
  async (type) => {
    const matching = tenements.filter((tenement) => same(tenement.type, type))
    await expectMatches("/tenements", { type }, "id", matching)
  },
)

test.each([
  "ore",
  "_",
  "%_owned",
  "\\ pty",
  "MÜLLER",
  "mu\u0308ller",
  "æGIR",
  "; the",
  "γη",
  "ΛΟΓΟΣ",
  '"',
  "=",
])("A filter by holder, %j, matches part of the holder's name", async (holder) => {
  const matching = tenements.filter(({ holder_name }) => includes(holder_name, holder))
  expect(matching.length).toBeGreaterThan(0)
  await expectMatches("/tenements", { holder }, "id", matching)
})

test.each([
  "Big Ore Limited",
  "big ore ltd.",
  "BIG, ORE LTD",
  "The Quoted Mine",
  "THE-QUOTED MINE",
  "Quoted Mine",
  "Big Ore, Ltd; The Quoted Mine",
  '"Muller" Ægir',
  "MU\u0308LLER, ægir",
  "=1+1",
  "1 & 1",
  "100% owned \\ pty limited",
  "ΛΟΓΟΣ ΓΗ",
  "Individual",
  "%",
  "...",
  "{BIG ORE LTD}",
])("The filter held_by=%j matches a holder's whole name in any spelling", async (held_by) => {
  const matching = tenements.filter((tenement) => holdersOf(tenement).has(nameKey(held_by)))
  await expectMatches("/tenements", { held_by }, "id", matching)
  const ofBig = matching.filter(({ id }) =>
    tenementsOf(tenements, "BIG").some((own) => own.id === id),
  )
  await expectMatches("/companies/BIG/tenements", { held_by }, "id", ofBig)
})

test.each(["BIG", "big", "bIg", "1e5", "GONE", "ZZZ", "BI", "%"])(
  "The filter company=%s of reports",
  async (company) => {
    const matching = reports.filter(({ asx_code }) => asx_code === company.toUpperCase())
    await expectMatches("/reports", { company }, "hash", matching)
  },
)

test.each([
  "Drilling",
  "ASSAYS",
  "drilling; assays",
  "ärzte",
  "half",
  "Assays and more",
  "Drill",
  ";",
  "-",
  "+",
])(
  "A filter by type, %j, matches one of several types of a report, or all as they are written",
  async (type) => {
    const matching = reports.filter(
      (report) =>
        report.type && [report.type, ...report.type.split("; ")].some((one) => same(one, type)),
    )
    await expectMatches("/reports", { type }, "hash", matching)
  },
)

test.each(["second", "SECOND", "%", "_", "\\", "ärzte", "\r\n", "\t", "=hyper", "- starts"])(
  "The filter search=%j of reports matches part of the title",
  async (search) => {
    const matching = reports.filter(({ title }) => includes(title, search))
    expect(matching.length).toBeGreaterThan(0)
    await expectMatches("/reports", { search }, "hash", matching)
  },
)

const days: [from: string | undefined, to: string | undefined][] = [
  ["2026-02-01", undefined],
  [undefined, "2026-01-31"],
  ["2026-01-31", "2026-01-31"],
  ["2026-02-01", "2026-02-01"],
  ["2026-02-28", "2026-02-28"],
  ["2024-02-29", "2024-02-29"],
  ["1999-12-31", "2000-01-01"],
  ["2026-02-02", "2026-02-27"],
  ["9999-12-31", undefined],
]

test.each(days)(
  "A period from %s to %s takes whole days in UTC, both included",
  async (from, to) => {
    const matching = reports.filter(({ published_at }) => {
      const day = published_at.slice(0, 10)
      return (from === undefined || day >= from) && (to === undefined || day <= to)
    })
    await expectMatches("/reports", { ...(from && { from }), ...(to && { to }) }, "hash", matching)
  },
)

test.each(["BIG", "big", "GONE", "ZZZ", "%"])(
  "The filter company=%s of tenements returns the list of that company",
  async (company) => {
    const matching = tenementsOf(tenements, company.toUpperCase())
    await expectMatches("/tenements", { company }, "id", matching)
    for (const filter of ["type", "holder", "granted_from", "expires_to"]) {
      const value = { type: "mining lease", holder: "pty" }[filter] ?? "2024-01-01"
      const [own, all] = await Promise.all([
        crawl(service, `/tenements?company=${encodeURIComponent(company)}&${filter}=${value}`, 3),
        matching.length > 0
          ? crawl(service, `/companies/${company}/tenements?${filter}=${value}`, 3)
          : [],
      ])
      expect(own).toEqual(all)
    }
  },
)

test.each(["grant", "expiry"] as const)(
  "The filters of %s select an interval of days, both ends included",
  async (what) => {
    const [from = "", to = ""] =
      what === "grant" ? ["granted_from", "granted_to"] : ["expires_from", "expires_to"]
    const dayOf = (tenement: (typeof tenements)[number]) => tenement[`${what}_date`]
    const known = tenements.flatMap((tenement) => dayOf(tenement) ?? []).sort()
    const [first, middle, last] = [known[0], known[Math.floor(known.length / 2)], known.at(-1)]
    for (const [earliest, latest] of [
      [first, last],
      [middle, middle],
      [middle, last],
      [first, middle],
      [middle, undefined],
      [undefined, middle],
    ]) {
      const matching = tenements.filter((tenement) => {
        const day = dayOf(tenement)
        return day !== null && (!earliest || day >= earliest) && (!latest || day <= latest)
      })
      const sent = { ...(earliest && { [from]: earliest }), ...(latest && { [to]: latest }) }
      await expectMatches("/tenements", sent, "id", matching)
    }
  },
)

test("Filters are joined by and", async () => {
  const both = { state: "NT", status: "pending", type: "exploration", holder: "ΓΗ" }
  await expectMatches("/tenements", both, "id", [{ id: "NT-2" }])
  const report = {
    company: "big",
    type: "assays",
    from: "2026-02-01",
    to: "2026-02-01",
    search: "again",
  }
  await expectMatches("/reports", report, "hash", [{ hash: "A3" }])
  const company = { search: "LFN", sector: "energy", active: "true" }
  await expectMatches("/companies", company, "asx_code", [{ asx_code: "LFN" }])
})

// By Unicode the upper case of these letters is I and S.
test.each([
  ["b\u0131g", "a dotless i"],
  ["\u017ftr", "a long s"],
])("%j, with %s, is not the code of a company", async (code) => {
  const path = encodeURIComponent(code)
  expect((await service.get(`/companies/${path}`)).status).toBe(404)
  expect((await service.get(`/companies/${path}/tenements`)).status).toBe(404)
  await expectMatches("/reports", { company: code }, "hash", [])
})
