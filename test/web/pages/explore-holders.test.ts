/** Holders: the list, the page of one, and its companies. */
import { expect, test } from "bun:test"
import { normaliseName } from "../../../src/data/resources/company-name.ts"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { barsOf, cellsOf, headingOf, leadOf, linkTo, textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const [tenement] = awkward.tenements
if (!tenement) throw new Error("The fixtures are empty")

const held = [
  "Evolution Mining (Cowal) Pty Limited; O'Hara & Sons / Joint",
  "EVOLUTION MINING (COWAL) PTY LTD",
  "Evolution Mining (Cowal) Pty Limited",
  "Evolution Mining (Cowal) Pty Limited; Individual",
  "Evolution Mining Mungari Limited",
  "Big Pits Ltd",
  ...Array.from({ length: 6 }, () => "Revolution Mining Pty Ltd"),
]
const records: Fixtures = {
  ...awkward,
  tenements: [
    ...awkward.tenements,
    ...held.map((holder_name, index) => ({
      ...tenement,
      id: `held-${index}`,
      tenement_id: `H ${index}`,
      state: index === 1 ? ("QLD" as const) : ("WA" as const),
      expiry_date: index === 2 ? "2027-02-28" : "2028-01-01",
      holder_name,
      asx_codes: index < 4 ? ["BIG"] : [],
    })),
  ],
  subsidiaries: [
    ...awkward.subsidiaries,
    {
      id: "cowal",
      name: "EVOLUTION MINING (COWAL) PTY LTD",
      parent_asx_code: "BIG",
      country: null,
      ownership_percentage: 100,
    },
  ],
}

const service = await serviceOfFile({ records })
const person = await signedInVisitor(service, "admin@example.com")
const cowal = "Evolution Mining (Cowal) Pty Limited"
const pageOf = (name: string) => `/explore/holders/${encodeURIComponent(name)}`

test("Holders are listed with the most tenements first, with filters and pages", async () => {
  const page = await person.read("/explore/holders?per_page=2&state=WA")
  expect(cellsOf(page)).toEqual([
    ["Revolution Mining Pty Ltd", "–", "6"],
    [cowal, "–", "3"],
  ])
  expect(leadOf(page)).toMatch(/^\d+ holders of tenements in Western Australia, at release 1$/)
  expect(linkTo(page, cowal)).toBe(`${pageOf(cowal)}?state=WA`)
  const days = "expires_from=2027-02-28&expires_to=2027-02-28"
  const expiring = await person.read(`/explore/holders?${days}`)
  expect(cellsOf(expiring)).toEqual([[cowal, "–", "1"]])
  expect(leadOf(expiring)).toBe(
    "1 holder of tenements expiring from 2027-02-28 to 2027-02-28, at release 1",
  )
  const second = await person.read("/explore/holders?per_page=2&page=2&as_of=1")
  expect(linkTo(second, "Previous")).toBe("/explore/holders?per_page=2&as_of=1")
  expect(second).toContain('<option value="QLD">QLD (2 tenements)</option>')
  expect(linkTo(second, "Changes")).toBeUndefined()
  const csv = await person.get("/explore/holders.csv?state=QLD")
  expect(await csv.text()).toContain("EVOLUTION MINING (COWAL) PTY LTD,1\r\n")
})

test("A list of holders counts the tenements without an expiry date, not their holders", async () => {
  const wordsOf = async (list: string) =>
    /\d+ tenements? (has|have) no expiry date and (is|are) not shown\./.exec(
      textOf(await person.read(`/explore/${list}?expires_from=2020-01-01`)),
    )?.[0]
  const words = await wordsOf("tenements")
  expect(words).toStartWith("1 tenement has")
  expect(await wordsOf("holders")).toBe(words ?? "")
  const bars = barsOf(await person.read("/explore/holders"), "By state, tenements")
  expect(bars?.find(({ label }) => label === "QLD")?.records).toBeGreaterThan(0)
})

test("A list of tenements links to their holders with the same filters", async () => {
  const filters = "state=WA&expires_to=2027-02-28"
  const list = await person.read(`/explore/tenements?${filters}&sort=expiry_date&as_of=1`)
  const holders = linkTo(list, "By holder") ?? ""
  expect(holders).toBe(`/explore/holders?${filters}&as_of=1`)
  expect(cellsOf(await person.read(holders))).toEqual([[cowal, "–", "1"]])
  const ofCompany = await person.read("/explore/companies/BIG/tenements?state=QLD")
  const ofBig = linkTo(ofCompany, "By holder") ?? ""
  expect(ofBig).toBe("/explore/holders?state=QLD&company=BIG")
  const page = await person.read(ofBig)
  expect(leadOf(page)).toBe("1 holder of tenements held by BIG in Queensland, at release 1")
})

test("A holder's page counts its tenements and names the next to expire, its partners and similar holders", async () => {
  for (const spelling of [cowal, "evolution mining cowal p/l"]) {
    const page = await person.read(pageOf(spelling))
    expect([headingOf(page), leadOf(page)]).toEqual([
      cowal,
      "A holder of 4 tenements, at release 1",
    ])
    expect(barsOf(page, "By state")?.map(({ label, records }) => [label, records])).toEqual([
      ["WA", 3],
      ["QLD", 1],
    ])
    expect(cellsOf(page, "Expiries within a year").map(([number]) => number)).toEqual(["H 2"])
    const coming = await person.read(linkTo(page, "All coming expiries") ?? "")
    expect(leadOf(coming)).toStartWith("4 tenements ")
    expect(cellsOf(page, "Partners in joint titles")).toEqual([["O'Hara & Sons / Joint", "1"]])
    expect(cellsOf(page, "Holders with names alike")).toEqual([
      ["Evolution Mining Mungari Limited", "1"],
    ])
    const list = await person.read(linkTo(page, "QLD") ?? "")
    expect(leadOf(list)).toBe(`1 tenement held by ${cowal} in Queensland, at release 1`)
  }
})

test("A holder that is opened from a filtered list keeps the filters", async () => {
  const filters = "state=WA&expires_to=2028-01-01"
  const list = await person.read(`/explore/holders?${filters}&as_of=1`)
  const address = linkTo(list, cowal) ?? ""
  expect(address).toBe(`${pageOf(cowal)}?${filters}&as_of=1`)
  const page = await person.read(address)
  expect(leadOf(page)).toBe(
    "A holder of 3 tenements in Western Australia × expiring by 2028-01-01 ×, at release 1".replaceAll(
      " ×",
      "",
    ),
  )
  const tenements = await person.read(linkTo(page, "3 tenements") ?? "")
  expect(leadOf(tenements)).toStartWith(
    `3 tenements held by ${cowal} in Western Australia expiring`,
  )
  const inState = await person.read(linkTo(page, "QLD") ?? "")
  expect(leadOf(inState)).toStartWith(`1 tenement held by ${cowal} in Queensland expiring`)
  expect(linkTo(page, "in Western Australia ×")).toBe(
    `${pageOf(cowal)}?expires_to=2028-01-01&as_of=1`,
  )
  expect(cellsOf(page, "Partners in joint titles")).toEqual([["O'Hara & Sons / Joint", "1"]])
  await person.read(`${pageOf(cowal)}?state=Mars`, 400)
  await person.read(`${pageOf(cowal)}?state=NT`, 404)
})

test("A holder's page names its company with the basis of the link, or possible ones with reasons", async () => {
  await service.sql`insert into link_keys ${service.sql([
    { key: normaliseName(cowal), asx_code: "BIG", basis: "subsidiary" },
    { key: normaliseName("big ore ltd"), asx_code: "BIG", basis: "name" },
    { key: normaliseName("Big Pits Ltd"), asx_code: "BIG", basis: "name" },
  ])}`
  const list = await person.read("/explore/holders?held_by=evolution+mining+cowal+p/l")
  expect(cellsOf(list)).toEqual([
    [cowal, "BIG", "4"],
    ["O'Hara & Sons / Joint", "–", "1"],
  ])
  expect(list).toContain('title="Big Ore, Limited"')
  expect(cellsOf(await person.read(pageOf(cowal)), "Company")).toEqual([
    ["Big Ore, Limited (BIG)", "A loaded list names the holder as a subsidiary"],
  ])
  expect(cellsOf(await person.read(pageOf("big ore ltd")), "Company")).toEqual([
    ["Big Ore, Limited (BIG)", "The holder has the company’s name"],
  ])
  expect(cellsOf(await person.read(pageOf("Big Pits Ltd")), "Company")).toEqual([
    ["Big Ore, Limited (BIG)", "A former name of the company"],
  ])
  await service.sql`insert into suggested_links ${service.sql([
    {
      position: 1,
      holder_key: "REVOLUTION MINING PTY LTD",
      holder: "Revolution Mining Pty Ltd",
      asx_code: "BIG",
      suggestion: service.sql.json({
        company: { asx_code: "BIG", company_name: "Big Ore Limited" },
        reason: "another ending",
        similarName: "Revolution Mining NL",
      }),
    },
  ])}`
  const page = await person.read(pageOf("Revolution Mining Pty Ltd"))
  expect(cellsOf(page, "Possible companies")).toEqual([
    ["Big Ore Limited (BIG)", "Equals Revolution Mining NL except for its ending"],
  ])
  expect(textOf(page)).not.toContain("Partners")
  const past = await person.read(`${pageOf("Revolution Mining Pty Ltd")}?as_of=1`)
  expect(textOf(past)).not.toContain("Possible companies")
})

test("Each holder's name links to its page, except a placeholder for persons", async () => {
  const list = await person.read("/explore/tenements?search=held")
  expect(linkTo(list, "O'Hara & Sons / Joint")).toBe(pageOf("O'Hara & Sons / Joint"))
  expect(headingOf(await person.read(pageOf("O'Hara & Sons / Joint")))).toBe(
    "O'Hara & Sons / Joint",
  )
  expect(linkTo(list, "Individual")).toBeUndefined()
})

test.each(["Nobody", "Individual", "...", "x".repeat(201)])(
  "A holder %j without tenements has no page",
  async (name) => {
    expect(headingOf(await person.read(pageOf(name), 404))).toStartWith("There is no holder ")
  },
)

test("The search box puts names that begin with the term first", async () => {
  const page = await person.read("/explore/search?q=evolution+mining")
  const [, holders = ""] = page.split("<h2>Holders</h2>")
  const names = [...holders.matchAll(/href="\/explore\/holders\/([^"?]+)"/g)].map(([, name]) =>
    decodeURIComponent(name ?? ""),
  )
  expect(names).toEqual([cowal, "Evolution Mining Mungari Limited", "Revolution Mining Pty Ltd"])
})
