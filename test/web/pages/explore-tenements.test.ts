/** Tenements: their holders, those that expire soon, and those without a company. */
import { expect, test } from "bun:test"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { reasons } from "../../../src/ingest/loading/suggestions.ts"
import { tenementsView } from "../../../src/web/pages/explore/lists/tenement-views.ts"
import { resultOf } from "../../api/mcp/conversation.ts"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { cellsOf, contentOf, factsOf, leadOf, linkTo, textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const [tenement] = awkward.tenements
if (!tenement) throw new Error("The fixtures are empty")

test("The explorer has every filter of tenements", () => {
  const shown = tenementsView.filters.map(({ name }) => name)
  expect(shown.sort()).toEqual(Object.keys(tenements.filters).sort())
})

/** Today is 2026-03-01. */
const expiries: [id: string, expiry_date: string | null, status?: string][] = [
  ["past", "2026-02-28"],
  ["PAST", "2026-02-28", "GRANTED"],
  ["past-pending", "2026-02-28", "pending"],
  ["today", "2026-03-01"],
  ["last-day", "2026-05-30"],
  ["later", "2026-05-31"],
  ["next-year", "2027-01-01"],
  ["then", "2028-01-01"],
  ["pending", "2026-04-01", "pending"],
  ["unknown", null],
]
const records: Fixtures = {
  ...awkward,
  tenements: [
    ...awkward.tenements,
    ...expiries.map(([id, expiry_date, status = "granted"]) => ({
      ...tenement,
      id,
      tenement_id: id,
      expiry_date,
      status,
      holder_name: "QUOTED (NORTH) PTY LTD",
      asx_codes: ["QUO"],
    })),
    ...["Holder 1", "Holder 1; Holder 2", "Holder 2", "Holder 3; Of Max", "Holder 4; Of Max"].map(
      (holder_name, index) => ({
        ...tenement,
        id: `possible-${index}`,
        holder_name,
        asx_codes: holder_name.includes("Max") ? ["MAX"] : [],
      }),
    ),
    ...["Holder 0", "Holder 3"].map((holder_name) => ({
      ...tenement,
      id: holder_name.replace(" ", "-"),
      holder_name,
      asx_codes: ["STR"],
    })),
  ],
}

const service = await serviceOfFile({ records })
const person = await signedInVisitor(service, "admin@example.com")

const first = (rows: string[][]) => rows.map(([cell]) => cell)

test("A list by expiry counts the tenements without an expiry date, and so does a company's page", async () => {
  const words = "1 tenement has no expiry date and is not shown."
  const dated = "/explore/tenements?company=quo&expires_from=2026-03-01"
  expect(textOf(await person.read(dated))).toContain(words)
  expect(textOf(await person.read(`${dated}&expires_to=2026-05-30&per_page=1&page=2`))).toContain(
    words,
  )
  expect(
    textOf(await person.read("/explore/tenements?company=quo&granted_from=2000-01-01")),
  ).not.toContain("not shown")
  expect(textOf(await person.read("/explore/tenements?company=quo"))).not.toContain("not shown")
  expect(textOf(await person.read("/explore/companies/QUO"))).toContain(
    "1 of 9 granted tenements have no expiry date.",
  )
})

test("Filters by company and dates are in the sentence, each with a link that clears it", async () => {
  const page = await person.read(
    "/explore/tenements?company=quo&granted_to=2026-01-01&expires_from=2026-03-01&expires_to=2026-05-30&sort=expiry_date",
  )
  expect(leadOf(page)).toBe(
    "3 tenements held by QUO granted by 2026-01-01 expiring from 2026-03-01 to 2026-05-30, at release 1",
  )
  expect(first(cellsOf(page))).toEqual(["today", "pending", "last-day"])
  expect(linkTo(page, "held by QUO ×")).toBe(
    "/explore/tenements?granted_to=2026-01-01&expires_from=2026-03-01&expires_to=2026-05-30&sort=expiry_date",
  )
  const until = await person.read("/explore/companies/QUO/tenements?expires_to=2026-02-28")
  expect(leadOf(until)).toBe("3 tenements of QUO expiring by 2026-02-28, at release 1")
  const mixed = await person.read(
    "/explore/tenements?expires_from=2026-03-02&expires_to=2026-03-01",
    400,
  )
  expect(textOf(mixed)).toContain("expires_from : “Expiring from” must be before “Expiring until”")
})

test("The heads of their columns sort tenements, in both directions", async () => {
  const page = await person.read("/explore/tenements?company=QUO")
  for (const [head, sort] of [
    ["Granted", "grant_date"],
    ["Expires", "expiry_date"],
    ["Area, km²", "area_km2"],
  ] as const) {
    const descending = linkTo(page, head) ?? ""
    expect(descending).toBe(`/explore/tenements?company=QUO&sort=${sort}&order=desc`)
    const sorted = await person.read(descending)
    expect(sorted).toContain('aria-sort="descending"')
    expect(linkTo(sorted, head)).toBe(`/explore/tenements?company=QUO&sort=${sort}`)
  }
  const byId = linkTo(page, "Tenement") ?? ""
  expect(byId).toBe("/explore/tenements?company=QUO&order=desc")
  expect(first(cellsOf(await person.read(byId)))[0]).toBe("unknown")
})

test("One link leads to the granted tenements that expire within 90 days, soonest first", async () => {
  const soon =
    "&status=granted&sort=expiry_date&order=asc&expires_from=2026-03-01&expires_to=2026-05-30"
  const page = await person.read("/explore/tenements?company=QUO&page=1&expires_to=2020-01-01")
  const link = linkTo(page, "Expiring within 90 days")
  expect(link).toBe(`/explore/tenements?company=QUO${soon}`)
  expect(linkTo(page, "Expiring within 30 days")).toEndWith("from=2026-03-01&expires_to=2026-03-31")
  expect(linkTo(page, "Expiring within 365 days")).toEndWith(
    "from=2026-03-01&expires_to=2027-03-01",
  )
  const shown = await person.read(link ?? "")
  expect(first(cellsOf(shown))).toEqual(["today", "last-day"])
  expect(shown).toMatch(/aria-current="true">Expiring within 90 days/)
  expect(page).not.toMatch(/aria-current="true">Expiring within 90 days/)
  const past = await person.read(linkTo(shown, "Past their expiry date") ?? "")
  expect(first(cellsOf(past))).toEqual(["PAST", "past"])
  const ofCompany = await person.read("/explore/companies/QUO/tenements")
  expect(linkTo(ofCompany, "Expiring within 90 days")).toBe(
    `/explore/companies/QUO/tenements?${soon.slice(1)}`,
  )
})

test("A granted tenement past its expiry date is marked, in lists and on its page", async () => {
  const page = await person.read("/explore/tenements?company=QUO&expires_to=2026-03-01")
  const marked = cellsOf(page).filter(([, , status]) => status?.includes("past expiry"))
  expect(first(marked)).toEqual(["PAST", "past"])
  expect(marked[1]?.[2]).toBe("granted past expiry")
  expect(textOf(await person.read("/explore/tenements/past"))).toContain(
    "granted past expiry Its expiry date has passed, and its register still lists it as granted.",
  )
  expect(factsOf(await person.read("/explore/tenements/today")).Status).toBe("granted")
})

test("The page of a tenement with a shape links to the tenements around it", async () => {
  const text = "Around this tenement (10 km)"
  await service.sql`update tenements set latitude = -30.75, longitude = 121.5 where id = 'today'`
  expect(await person.read("/explore/tenements/later")).not.toContain(text)
  expect(linkTo(await person.read("/explore/tenements/today"), text)).toBe(
    "/explore/tenements?near=today%2C10",
  )
  const around = await person.read("/explore/tenements?near=-30.75,121.5,10")
  expect(textOf(around)).toContain("within 10 km of -30.75, 121.5")
})

test("A page at a past release has the marks and choices of its day", async () => {
  await service.sql`update releases set published_at = '2026-02-28T12:00:00Z'`
  const page = await person.read("/explore/tenements?as_of=2026-02-28&company=QUO")
  expect(textOf(page)).not.toContain("past expiry")
  expect(linkTo(page, "Expiring within 90 days")).toContain("&expires_from=2026-02-28&")
  await service.sql`update releases set published_at = '2026-03-01T00:00:00Z'`
})

test("A company's page shows its expiries within a year, and the way to all of them", async () => {
  const page = await person.read("/explore/companies/QUO")
  expect(first(cellsOf(page, "Expiries within a year"))).toEqual([
    "today",
    "last-day",
    "later",
    "next-year",
  ])
  expect(first(cellsOf(await person.read(linkTo(page, "Expiring in 90 days") ?? "")))).toEqual([
    "today",
    "last-day",
  ])
  expect(leadOf(await person.read(linkTo(page, "All coming expiries") ?? ""))).toStartWith(
    "6 tenements of QUO ",
  )
  const later = await person.read("/explore/companies/SIG")
  expect(textOf(later)).toContain("No expiries within a year are known. All coming expiries")
  const unlinked = await person.read("/explore/companies/NIL")
  expect(unlinked.includes("Expiries within a year")).toBe(false)
})

test("A search for a company's name as holder links to that company", async () => {
  const page = await person.read("/explore/tenements?holder=the+%22quoted&status=granted")
  expect(leadOf(page)).toStartWith("0 tenements ")
  expect(textOf(page)).toContain(
    'The "Quoted", Mine (QUO) holds 11 tenements, in its own name or through subsidiaries.',
  )
  const link = linkTo(page, 'The "Quoted", Mine (QUO)') ?? ""
  expect(link).toBe("/explore/tenements?company=QUO")
  expect(leadOf(await person.read(link))).toBe("11 tenements held by QUO, at release 1")
})

test("A name that one listed company has takes the place of its code in every list", async () => {
  const leadsTo = async (path: string) =>
    (await person.get(`/explore/${path}`)).headers.get("location")
  for (const list of [
    "tenements",
    "map",
    "holders",
    "reports",
    "subsidiaries",
    "changes/reports",
  ]) {
    expect(await leadsTo(`${list}?per_page=25&company=quoted&as_of=1`)).toBe(
      `/explore/${list}?per_page=25&company=QUO&as_of=1`,
    )
    expect(await leadsTo(`${list}?company=quo`)).toBe(
      list === "subsidiaries" ? "/explore/companies/quo/subsidiaries" : null,
    )
  }
  expect(await leadsTo("tenements?company=xyzxyz")).toBe(null)
  const several = await person.read("/explore/reports?company=nickel&as_of=1")
  expect(textOf(several)).toContain("Did you mean 100% Nickel (PCT)")
  // No list of a company that is unknown: it would have none.
  expect([leadOf(several), cellsOf(several)]).toEqual(["Unknown company code “nickel”.", []])
  // The whole name of one company may begin that of another.
  expect(await leadsTo("reports?company=old+and+gone")).toBe("/explore/reports?company=OLDCO")
})

test("The nearest code is suggested for one that no company has, and none for a company without records", async () => {
  const page = await person.read("/explore/tenements?company=quoo&status=granted&page=1")
  expect(linkTo(page, 'The "Quoted", Mine (QUO)')).toBe(
    "/explore/tenements?status=granted&company=QUO",
  )
  const reports = await person.read("/explore/reports?company=QU0")
  expect(linkTo(reports, 'The "Quoted", Mine (QUO)')).toBe("/explore/reports?company=QUO")
  expect(textOf(reports)).toContain("Unknown company code “QU0”.")
  for (const [address, words] of [
    ["tenements?company=!!", "Unknown company code “!!”."],
    ["reports?company=xyzxyz", "Unknown company code “xyzxyz”."],
    ["reports?company=quo&type=nothing+like+it", undefined],
  ] as const) {
    const shown = textOf(await person.read(`/explore/${address}`))
    expect([address, /Unknown company code [^.]*\./.exec(shown)?.[0]]).toEqual([address, words])
    expect(shown).not.toContain("Did you mean")
  }
})

test("A list suggests no company whose tenements are exactly those found", async () => {
  for (const query of ["holder=quoted", "holder=nil+worth", "company=QUO", "holder=aardvark", ""]) {
    const page = await person.read(`/explore/tenements?${query}`)
    expect([query, page.includes("through subsidiaries")]).toEqual([query, false])
  }
})

test("The page of a company without tenements says that none is linked yet", async () => {
  const list = await person.read("/explore/companies?search=NIL")
  expect(cellsOf(list)[0]?.[4]).toBe("– Not matched to any holder yet")
  const page = await person.read("/explore/companies/NIL")
  expect(factsOf(page).Tenements).toBe("Not matched to any holder yet")
  expect(textOf(page)).toContain(
    "Not matched to any holder yet: no tenement is held under the name of the company",
  )
  expect(linkTo(page, "share of linked tenements by state")).toBe("/#linked")
  expect(textOf(page)).not.toContain("Probable subsidiaries")
})

test("Probable subsidiaries count the tenements that a link would add, with reasons", async () => {
  const [best = ""] = reasons
  const suggested = [...reasons.toReversed(), best, best].map((reason, index) => ({
    position: index + 1,
    holder_key: `HOLDER ${index}`,
    holder: `Holder ${index}`,
    asx_code: "MAX",
    suggestion: service.sql.json({
      holder: { name: `Holder ${index}`, key: `HOLDER ${index}`, tenements: 1_000 - index },
      company: { asx_code: "MAX", company_name: "Largest Exact", is_active: true },
      reason,
      similarName: "MAX Ltd",
    }),
  }))
  await service.sql`insert into suggested_links ${service.sql(suggested)}`
  const page = await person.read("/explore/companies/max")
  // The tenement of Holder 4 is the company's already; no tenement has Holder 5.
  expect(cellsOf(page, "Probable subsidiaries")).toEqual([
    ["Holder 0", "1", "Equals MAX Ltd except for its ending"],
    ["Holder 1", "2", "Equals MAX Ltd except for the words in brackets"],
    ["Holder 2", "2", "A former name of the company"],
    ["Holder 3", "1", "Known group (list of the service)"],
  ])
  expect(factsOf(page).Tenements).toBe("2, 5 not counted yet")
  expect(linkTo(page, "Holder 3")).toBe("/explore/holders/Holder%203")
  const past = await person.read("/explore/companies/MAX?as_of=1")
  expect(contentOf(past)).not.toMatch(/robable|not counted/)

  const words =
    "MAX may hold 5 more tenements, under names of holders that are not linked to it: Holder 0 (1), Holder 1 (2), Holder 2 (2), and 1 more."
  for (const path of ["tenements?company=max", "companies/MAX/tenements"]) {
    expect(textOf(await person.read(`/explore/${path}`))).toContain(words)
  }
  for (const path of [
    "tenements?company=BIG",
    "tenements?company=MAX&as_of=1",
    "tenements?company=MAX&state=SA",
    "companies/MAX/tenements?status=granted",
    "reports?company=MAX",
  ]) {
    expect([path, await person.read(`/explore/${path}`)]).toEqual([
      path,
      expect.not.stringContaining("may hold"),
    ])
  }
  for (const [tool, given] of [
    ["company", { asx_code: "max" }],
    ["find_tenements", { company: "max" }],
  ] as const) {
    expect((await resultOf(service, tool, given)).notes).toContain(words)
    expect((await resultOf(service, tool, { ...given, as_of: "1" })).notes).not.toContain(words)
  }
  const ofState = await resultOf(service, "find_tenements", { company: "max", state: "SA" })
  expect(ofState.notes).not.toContain(words)

  await service.sql`insert into link_decisions values ('HOLDER 1', 'Holder 1', 'MAX', false), ('HOLDER 2', 'Holder 2', 'BIG', true)`
  const decided = await person.read("/explore/companies/MAX")
  expect(first(cellsOf(decided, "Probable subsidiaries"))).toEqual(["Holder 0", "Holder 3"])
})
