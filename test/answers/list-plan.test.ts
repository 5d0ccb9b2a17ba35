/** A list request is planned from its endpoint and query alone. */
import { expect, test } from "bun:test"
import { type ListEndpoint, listEndpoint } from "../../src/answers/list-endpoint.ts"
import { planList } from "../../src/answers/list-plan.ts"
import { preferredFormat } from "../../src/http/negotiation.ts"
import { companies } from "../../src/resources/companies.ts"
import { reports } from "../../src/resources/reports.ts"
import { subsidiaries } from "../../src/resources/subsidiaries.ts"
import { ofCompany, tenements } from "../../src/resources/tenements.ts"

const ofCompanies = listEndpoint({ resource: companies, filters: ["search", "sector", "active"] })
const ofReports = listEndpoint({ resource: reports, filters: ["company", "from", "to"] })
const held = listEndpoint({
  resource: tenements,
  filters: ["state"],
  belongsTo: { resource: companies, scope: ofCompany },
})
const common = ["as_of", "updated_since", "removed_since", "format", "all", "bom", "formula_guard"]

const plan = (
  endpoint: ListEndpoint,
  query: string,
  accept: string | null = null,
  parent = "BIG",
) => planList(endpoint, { path: `/x/${parent}`, query, format: preferredFormat(accept) }, parent)

test("an endpoint's parameters come from its resource: paging, filters, sorts, formats", () => {
  expect(Object.keys(ofCompanies.parameters)).toEqual([
    "page",
    "per_page",
    "search",
    "sector",
    "active",
    "sort",
    "order",
    ...common,
  ])
  expect(Object.keys(held.parameters)).toEqual(["page", "per_page", "state", ...common])
  expect(ofCompanies.parameters.per_page).toMatchObject({
    minimum: 1,
    maximum: 100,
    default: 50,
  })
})

test("every filter that takes free text bounds its length", () => {
  const filters = [companies, tenements, reports, subsidiaries].flatMap((resource) =>
    Object.entries(resource.filters).map(([name, { schema }]) => ({ name, schema })),
  )
  const unbounded = filters.filter(
    ({ schema }) =>
      schema.type === "string" && schema.format === undefined && schema.maxLength !== 200,
  )
  expect(filters.length).toBeGreaterThan(10)
  expect(unbounded.map(({ name }) => name)).toEqual([])
})

test("fields come in the order of the interface's tables", () => {
  const fields = Object.fromEntries(
    [companies, tenements, reports, subsidiaries].map(({ name, fields: of }) => [
      name,
      Object.keys(of),
    ]),
  )
  expect(fields).toEqual({
    companies: [
      "asx_code",
      "company_name",
      "market_cap_aud",
      "gics_sector",
      "gics_industry_group",
      "total_tenements",
      "is_active",
    ],
    tenements: [
      "id",
      "tenement_id",
      "state",
      "status",
      "type",
      "holder_name",
      "grant_date",
      "expiry_date",
      "area_km2",
    ],
    reports: ["hash", "asx_code", "title", "type", "published_at", "url"],
    subsidiaries: ["id", "name", "parent_asx_code", "country", "ownership_percentage"],
  })
})

test("a query without parameters asks for the first fifty, as JSON, in the resource's order", () => {
  expect(plan(ofCompanies, "")).toMatchObject({
    page: 1,
    perPage: 50,
    format: "json",
    all: false,
    byteOrderMark: false,
    formulaGuard: true,
    canonical: [],
    list: { filters: ["active"], bound: { active: true } },
  })
  const order = plan(ofReports, "").list.order.map(({ column, direction }) => [
    column.name,
    direction,
  ])
  expect(order).toEqual([
    ["published_at", "desc"],
    ["hash", "asc"],
  ])
})

test("every order ends in the key", () => {
  for (const sort of ["name", "market_cap", "asx_code"]) {
    for (const direction of ["asc", "desc"]) {
      const { order } = plan(ofCompanies, `sort=${sort}&order=${direction}`).list
      expect(order.at(-1)?.column.name).toBe("asx_code")
      expect(order[0]?.direction).toBe(direction as "asc" | "desc")
    }
  }
})

test("values are bound as the filters want them", () => {
  expect(plan(ofCompanies, "search=50%25_&sector=ENERGY").list.bound).toEqual({
    active: true,
    search: "%50\\%\\_%",
    sector: "energy",
  })
  expect(plan(ofReports, "company=bhp&to=2026-01-01").list.bound).toEqual({
    company: "BHP",
    to: "2026-01-01",
  })
})

test("lists are the same where rows and order are, whatever their page and format", () => {
  const identity = (query: string) => plan(ofCompanies, query).list.identity
  const same = [
    "",
    "page=3&per_page=7",
    "format=csv&bom=true",
    "all=true&format=tsv",
    "active=true&sort=name",
  ]
  expect(new Set(same.map(identity)).size).toBe(1)
  const others = ["", "active=false", "search=a", "sector=a", "sort=asx_code", "order=desc"]
  expect(new Set(others.map(identity)).size).toBe(others.length)
  const another = plan(held, "", null, "OTHER").list.identity
  expect(plan(held, "").list.identity).not.toBe(another)
})

test("one key for all queries that ask for the same, however they are written", () => {
  const key = (query: string) => plan(ofCompanies, query).key
  expect(key("format=csv&page=1")).toBe(key("_=1"))
  expect(key("sector=ENERGY&search=Gold")).toBe(key("search=GOLD&sector=energy"))
  expect(key("page=2")).not.toBe(key(""))
  expect(key("as_of=1")).not.toBe(key(""))
})

test("one page sequence for all pages of a query, apart from other formats and from another _", () => {
  const sequence = (query: string, accept?: string) =>
    plan(ofCompanies, query, accept ?? null).sequenceId
  expect(sequence("page=2&sort=name")).toBe(sequence("page=7"))
  expect(sequence("", "text/csv")).toBe(sequence("format=csv", "application/json"))
  const others = ["", "format=csv", "_=1", "per_page=7", "as_of=1", "search=a"]
  expect(new Set(others.map((query) => sequence(query))).size).toBe(others.length)
})
