/** Every record has a page with all its fields, on which text of the data is never markup. */
import { expect, test } from "bun:test"
import { readRecord } from "../../contract/bodies.ts"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import {
  addressesIn,
  barsOf,
  cellsOf,
  factsOf,
  headingOf,
  leadOf,
  linkTo,
  textOf,
} from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const attack = `<script>alert("1")</script>"'><img src=x onerror=alert(1)>&lt;b&gt;`
const [company, tenement, subsidiary, report] = [
  awkward.companies[0],
  awkward.tenements[0],
  awkward.subsidiaries[0],
  awkward.reports[0],
]
if (!company || !tenement || !subsidiary || !report) throw new Error("The fixtures are empty")

const hostile: Fixtures = {
  companies: [
    ...awkward.companies,
    {
      ...company,
      asx_code: "XSS",
      company_name: attack,
      gics_sector: attack,
      gics_industry_group: attack,
    },
  ],
  tenements: [
    ...awkward.tenements,
    {
      ...tenement,
      id: "hostile",
      tenement_id: attack,
      status: attack,
      type: attack,
      holder_name: `${attack}; ${attack} Two`,
      asx_codes: ["XSS"],
    },
  ],
  subsidiaries: [
    ...awkward.subsidiaries,
    { ...subsidiary, id: "hostile", name: attack, country: attack, parent_asx_code: "XSS" },
  ],
  reports: [
    ...awkward.reports,
    {
      ...report,
      hash: "hostile",
      asx_code: "XSS",
      title: attack,
      type: attack,
      url: "javascript:alert(1)",
    },
    {
      ...report,
      hash: "hostile2",
      asx_code: "XSS",
      url: `https://example.com/"><script>alert(1)</script>`,
    },
    {
      ...report,
      hash: "hostile3",
      asx_code: "XSS",
      url: "data:text/html,<script>alert(1)</script>",
    },
    { ...report, hash: "hostile4", asx_code: "XSS", url: "https://" },
  ],
}

const service = await serviceOfFile({ records: hostile })
const person = await signedInVisitor(service, "admin@example.com")

const trailOf = (page: string): string =>
  textOf(/<ol class="trail">(.*?)<\/ol>/s.exec(page)?.[1] ?? "")

const dash = (value: unknown) => (value === null || value === "" ? "–" : String(value))

const viewers: Record<string, string> = {
  WA: "GeoVIEW.WA",
  NSW: "MinView",
  QLD: "GeoResGlobe",
  VIC: "GeoVic",
  SA: "SARIG",
  TAS: "MRT maps",
  NT: "STRIKE",
}
const exactArea = new Intl.NumberFormat("en-AU", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 20,
})

test("A tenement's page has every field, the whole area on hover, and leads to the map of its state", async () => {
  for (const { id, asx_codes: codes } of awkward.tenements) {
    const path = `/tenements/${encodeURIComponent(id)}`
    const record = await readRecord(await service.get(path))
    const page = await person.read(`/explore${path}`)
    const holders = dash(record.holder_name)
      .split(/\s*;\s*/)
      .filter(Boolean)
      .join(" | ")
    expect(factsOf(page)).toMatchObject({
      Identifier: id,
      Status: dash(record.status),
      Type: dash(record.type),
      Company: codes.join(" | ") || "Not matched to any company yet",
      Holder: holders || dash(record.holder_name),
      Granted: dash(record.grant_date),
      Expires: dash(record.expiry_date),
      "On the state’s map": `${viewers[String(record.state)]} search for ${record.tenement_id}`,
    })
    expect(trailOf(page)).toBe(`Tenements ${record.state} ${record.tenement_id}`)
    expect(linkTo(page, String(record.state))).toBe(`/explore/tenements?state=${record.state}`)
    for (const code of codes) expect(linkTo(page, code)).toBe(`/explore/companies/${code}`)
    if (typeof record.area_km2 === "number")
      expect(page).toContain(`<span title="${exactArea.format(record.area_km2)} km²">`)
    else expect(page).not.toContain('km²">')
    expect(page).toContain(`/api/v1${path}`)
  }
})

test("An announcement's page has every field, and leads to its company and its document", async () => {
  for (const { hash } of awkward.reports) {
    const record = await readRecord(await service.get(`/reports/${hash}`))
    const page = await person.read(`/explore/reports/${hash}`)
    expect(factsOf(page)).toMatchObject({
      Company: record.asx_code,
      Identifier: hash,
      Document: dash(record.url),
    })
    expect(trailOf(page)).toBe(
      `Announcements ${record.asx_code} ${String(record.title).replace(/\s+/g, " ")}`,
    )
    expect(addressesIn(page)).toContain(`/explore/companies/${record.asx_code}`)
    if (record.url !== null) expect(linkTo(page, String(record.url))).toBe(String(record.url))
  }
})

test("A company's page has its fields, its tenements by value, its subsidiaries and announcements", async () => {
  const record = await readRecord(await service.get("/companies/BIG"))
  const page = await person.read("/explore/companies/big")
  expect(headingOf(page)).toBe(String(record.company_name))
  expect(leadOf(page)).toBe("Listed as BIG, at release 1")
  expect(factsOf(page)).toEqual({
    Sector: "Materials",
    "Industry group": "Metals & Mining",
    Listed: "active",
    Tenements: String(record.total_tenements),
    "Market cap, A$": "250 bn",
  })
  expect(trailOf(page)).toBe("Companies Materials Big Ore, Limited")
  const list = await person.read("/explore/companies/BIG/tenements")
  expect(trailOf(list)).toBe("Companies Big Ore, Limited Tenements")
  expect(factsOf(await person.read("/explore/companies/XSS"))).not.toHaveProperty("Industry group")
  const inactive = factsOf(await person.read("/explore/companies/OLD2"))
  expect(inactive["Market cap, A$"]).toEndWith(" when last listed")
  expect(page).toContain('<span title="A$250,000,000,000">250 bn</span>')
  for (const heading of ["By status", "By state"]) {
    for (const { href, records } of barsOf(page, heading) ?? []) {
      if (href) expect(leadOf(await person.read(href))).toStartWith(`${records} tenement`)
    }
  }
  const headings = [...page.matchAll(/<h([23])\b[^>]*>(.*?)<\/h\1>/g)].map(
    ([, rank, text = ""]) => `${rank} ${text.replace(/<[^>]*>/g, "")}`,
  )
  expect(headings.slice(0, 5)).toEqual([
    "2 Tenements",
    "3 By state",
    "3 By status",
    "3 By type",
    "2 Expiries within a year",
  ])
  const [, , subsidiaries = "", reports = ""] = page.split('<section class="stack">')
  const names = awkward.subsidiaries.filter(({ parent_asx_code: code }) => code === "BIG")
  const shown = cellsOf(subsidiaries).map(([name]) => name)
  expect(shown).toHaveLength(names.length)
  const announced = awkward.reports.filter(({ asx_code: code }) => code === "BIG")
  expect(cellsOf(reports)).toHaveLength(announced.length)
})

test("The page of a company without records says so", async () => {
  const page = await person.read("/explore/companies/NIL")
  expect(page).toContain("No subsidiaries are known.")
  expect(page).toContain("No announcements are known.")
})

test.each([
  "/explore/companies?search=script",
  "/explore/companies/XSS",
  "/explore/companies/XSS/tenements",
  "/explore/companies/XSS/subsidiaries",
  "/explore/tenements/hostile",
  "/explore/tenements",
  "/explore/reports/hostile",
  "/explore/reports/hostile2",
  "/explore/reports/hostile3",
  "/explore/reports/hostile4",
  "/explore/reports?company=XSS",
  `/explore/tenements?holder=${encodeURIComponent(attack)}&status=${encodeURIComponent(attack)}&as_of=1`,
  `/explore/reports?search=${encodeURIComponent(attack)}`,
  `/explore/search?q=${encodeURIComponent(attack)}`,
])("Text from data and addresses is never markup: %s", async (path) => {
  const page = await person.read(path)
  const scripts = page.match(/<script\b[^>]*>/g) ?? []
  expect(scripts).not.toEqual([])
  for (const script of scripts)
    expect(script).toMatch(/^<script type="module" src="\/assets\/\w+\.\w+\.js">$/)
  expect(page).not.toMatch(/<img|<b>/)
  expect(page).not.toMatch(/(?:href|src|action)="\s*(?:javascript|data):/i)
  expect(page).toMatch(
    path.includes("hostile4") ? /https:\/\// : /&lt;script&gt;|javascript:|%3Cscript%3E/,
  )
})

test("Text from an invalid or unknown address is never markup", async () => {
  const sent = encodeURIComponent(attack)
  for (const path of [
    `tenements?state=${sent}`,
    `tenements?${sent}=1`,
    `tenements/${sent}`,
    `companies/${sent}`,
    `companies/${sent}/tenements`,
    `reports/x?as_of=${sent}`,
  ]) {
    const response = await person.get(`/explore/${path}`)
    const page = await response.text()
    expect([path, [400, 404].includes(response.status)]).toEqual([path, true])
    expect(page).not.toMatch(/<script>|<img/)
  }
})

test.each([
  ["/tenements/none", "There is no tenement none", "/tenements"],
  ["/tenements/a%2Fb", "There is no tenement a/b", "/tenements"],
  ["/reports/none", "There is no announcement none", "/reports"],
  ["/companies/NONE", "There is no company NONE", "/companies"],
  ["/companies/NONE/tenements", "There is no company NONE", "/companies"],
  ["/companies/NONE/subsidiaries", "There is no company NONE", "/companies"],
])("A missing record's page names it and leads to the list: %s", async (path, heading, list) => {
  const page = await person.read(`/explore${path}`, 404)
  expect(headingOf(page)).toBe(heading)
  expect(page.slice(page.indexOf("<main"))).toContain(`class="button" href="/explore${list}"`)
})

test("A page shortens an invalid or long key", async () => {
  for (const path of ["/tenements/%00", "/companies/%00", "/companies/%00/tenements"]) {
    const page = await person.read(`/explore${path}`, 404)
    expect(headingOf(page)).toMatch(/^There is no (tenement|company) \\u0000$/)
    expect(page).not.toContain("\0")
  }
  const page = await person.read(`/explore/companies/${"x".repeat(5_000)}`, 404)
  expect(headingOf(page)).toBe(`There is no company ${"x".repeat(80)}…`)
})

test("An unknown path and a missing record have different pages", async () => {
  for (const path of ["/explore/nothing", "/explore/companies/BIG/nothing"]) {
    expect(headingOf(await person.read(path, 404))).toBe("There is no page at this address")
  }
})
