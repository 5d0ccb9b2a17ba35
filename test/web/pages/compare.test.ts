/** The page of companies side by side shows the counts of the API's lists. */
import { expect, test } from "bun:test"
import { readList } from "../../contract/bodies.ts"
import { awkward } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { cellsOf, factsOf, faultAt, headingOf, linkTo } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile()
const person = await signedInVisitor(service, "admin@example.com")

test("Each count is the total of the list that it links to", async () => {
  const codes = ["BIG", "STR", "OLDCO"]
  const page = await person.read("/explore/compare?codes=big,STR+oldco,BIG")
  const rows = new Map(cellsOf(page).map(([label = "", ...cells]) => [label, cells]))
  for (const [index, code] of codes.entries()) {
    const company = awkward.companies.find(({ asx_code }) => asx_code === code)
    expect(rows.get("Company")?.[index]).toBe(company?.company_name ?? "")
    const totalOf = async (query: string) =>
      (await readList(await service.get(`/tenements?company=${code}&${query}`))).meta.total
    expect(rows.get("Tenements")?.[index]).toBe(String(await totalOf("")))
    for (const [label, cells] of rows) {
      const [, name, value] = /^Tenements, (\w+): (.*)$/.exec(label) ?? []
      if (!name || !value || value === "unknown") continue
      const total = await totalOf(`${name}=${encodeURIComponent(value)}`)
      expect([label, code, cells[index]]).toEqual([label, code, String(total)])
    }
    const [granted, dated] = [
      await totalOf("status=granted"),
      await totalOf("status=granted&expires_from=0001-01-01"),
    ]
    expect(rows.get("Granted tenements without expiry date")?.[index]).toBe(String(granted - dated))
    const reports = await service.get(`/reports?company=${code}&group=quarterly&per_page=1`)
    const [last] = (await readList(reports)).data
    expect(rows.get("Last quarterly")?.[index] !== "–").toBe(last !== undefined)
  }
})

test("Rows of one count are beside one another, whichever company has them, and each column has a head", async () => {
  const page = await person.read("/explore/compare?codes=NIL,STR,BIG,OLDCO")
  const labels = cellsOf(page).map(([label = ""]) => label)
  const groups = labels.map((label) => /^Tenements, \w+(?=:)/.exec(label)?.[0])
  const [first, ...others] = groups.flatMap((group, index) => (group ? [index] : []))
  expect(first).toBe(labels.indexOf("Last quarterly") + 1)
  expect(others.at(-1)).toBe(labels.length - 1)
  const changes = groups.slice(1).filter((group, index) => group !== groups[index])
  expect(changes).toEqual(["Tenements, state", "Tenements, status", "Tenements, type"])
  expect(page).not.toMatch(/<th\b[^>]*><\/th>/)
})

test("An inactive company is marked, with the market cap of its last listing as on its own page", async () => {
  const page = await person.read("/explore/compare?codes=BIG,OLD2")
  const rows = new Map(cellsOf(page).map(([label = "", ...cells]) => [label, cells]))
  expect(rows.get("Listed")).toEqual(["active", "inactive"])
  const { "Market cap, A$": marketCap = "" } = factsOf(await person.read("/explore/companies/OLD2"))
  expect(marketCap).toContain("when last listed")
  expect(rows.get("Market cap, A$")?.[1]).toBe(marketCap)
})

test("Without codes the page asks for them, and it keeps them beside an unknown one", async () => {
  for (const query of ["", "?codes=", "?_=1", "?api_key=x"]) {
    const page = await person.read(`/explore/compare${query}`)
    expect(headingOf(page)).toBe("Compare companies")
    expect(page).not.toContain("<table>")
  }
  const faulty = await person.read("/explore/compare?codes=BIG,Big+Nowhere", 404)
  expect(faultAt(faulty, "codes")).toBe("No company, or several, have the code or name NOWHERE.")
  expect(faulty).toContain('value="BIG, NOWHERE"')
  expect(cellsOf(faulty)[0]).toEqual(["Company", "Big Ore, Limited"])
})

test("Names of companies lead to their codes", async () => {
  const page = await person.read("/explore/compare?codes=quoted,+largest+exact+;+STR+OLDCO")
  expect(page).toContain('value="QUO, MAX, STR, OLDCO"')
  // Of a name of several companies, the page offers each.
  const several = await person.read("/explore/compare?codes=BIG,nickel", 404)
  expect(faultAt(several, "codes")).toBe("No company, or several, have the code or name nickel.")
  expect(linkTo(several, "100% Nickel (PCT)")).toBe("/explore/compare?codes=BIG%2CPCT")
})

test("More than six codes are an error beside the first six companies", async () => {
  const codes = awkward.companies.map(({ asx_code }) => asx_code).slice(0, 7)
  const page = await person.read(`/explore/compare?codes=${codes.join()}`, 400)
  expect(faultAt(page, "codes")).toBe("Only the first 6 companies are compared.")
  expect(cellsOf(page)[0]).toHaveLength(7)
  const repeated = await person.read(`/explore/compare?codes=${"BIG,".repeat(9)}STR`)
  expect(repeated).toContain('value="BIG, STR"')
  // A name and a code may be of one company.
  const ten = await person.read("/explore/compare?codes=big,Big,quoted,quo,QUO,BIG,x,y,z,STR", 404)
  expect(ten).toContain('value="BIG, QUO, x, y, z, STR"')
  expect(cellsOf(ten)[0]).toHaveLength(4)
})

test("A company without linked tenements has no zeros: the page says what its own page says", async () => {
  const suggestion = { reason: "same first words", similarName: "Nil" }
  const [holder] = await service.sql`select id, holder_keys[1] as key from tenements
    where cardinality(holder_keys) = 1 and asx_codes = '{}' limit 1`
  await service.sql`insert into suggested_links
    values (1, ${holder?.key}, 'Holder', 'NIL', ${service.sql.json(suggestion)})`
  const company = await person.read("/explore/companies/NIL")
  expect(factsOf(company).Tenements).toMatch(
    /^Not matched to any holder yet, [1-9]\d* not counted yet$/,
  )
  const rows = cellsOf(await person.read("/explore/compare?codes=NIL,BIG"))
  const shown = new Map(rows.map(([label = "", ofNil]) => [label, ofNil]))
  expect(shown.get("Tenements")).toBe(factsOf(company).Tenements ?? "")
  const counts = [...shown].filter(([label]) => /^Tenements[, ]|^Granted/.test(label))
  expect(counts.length).toBeGreaterThan(3)
  expect(counts.map(([, cell]) => cell)).toEqual(counts.map(() => "–"))
  // A map of none would be empty.
  expect([linkTo(company, "Map"), linkTo(company, "Compare")]).toEqual([
    undefined,
    "/explore/compare?codes=NIL",
  ])
})
