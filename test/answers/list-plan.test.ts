import { expect, test } from "bun:test"
import { type ListEndpoint, listParameters, readListQuery } from "../../src/answers/list-plan.ts"
import { companies } from "../../src/resources/companies.ts"
import { reports } from "../../src/resources/reports.ts"
import { itemSchema } from "../../src/resources/resource.ts"
import { subsidiaries } from "../../src/resources/subsidiaries.ts"
import { ofCompany, tenements } from "../../src/resources/tenements.ts"

const ofCompanies: ListEndpoint = { resource: companies, filters: ["search", "sector", "active"] }
const ofReports: ListEndpoint = { resource: reports, filters: ["company", "from", "to"] }
const held: ListEndpoint = {
  resource: tenements,
  filters: ["state"],
  belongsTo: { resource: companies, scope: ofCompany },
}
const common = ["as_of", "updated_since", "removed_since", "format", "all", "bom", "formula_guard"]

const read = (endpoint: ListEndpoint, query: string, accept: string | null = null) =>
  readListQuery(endpoint, query, accept, () => "BIG")

test("an endpoint's parameters come from its resource: paging, filters, sorts, formats", () => {
  expect(Object.keys(listParameters(ofCompanies))).toEqual([
    "page",
    "per_page",
    "search",
    "sector",
    "active",
    "sort",
    "order",
    ...common,
  ])
  expect(Object.keys(listParameters(held))).toEqual(["page", "per_page", "state", ...common])
  expect(listParameters(ofCompanies).per_page).toMatchObject({
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
  expect(Object.keys(itemSchema(companies).properties)).toEqual(fields.companies ?? [])
})

test("a query without parameters asks for the first fifty, as JSON, in the resource's order", () => {
  expect(read(ofCompanies, "")).toMatchObject({
    page: 1,
    perPage: 50,
    format: "json",
    all: false,
    byteOrderMark: false,
    formulaGuard: true,
    given: [],
    list: { filters: ["active"], bound: { active: true } },
  })
  const order = read(ofReports, "").list.order.map(({ column, direction }) => [
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
      const { order } = read(ofCompanies, `sort=${sort}&order=${direction}`).list
      expect(order.at(-1)?.column.name).toBe("asx_code")
      expect(order[0]?.direction).toBe(direction as "asc" | "desc")
    }
  }
})

test("values are bound as the filters want them", () => {
  expect(read(ofCompanies, "search=50%25_&sector=ENERGY").list.bound).toEqual({
    active: true,
    search: "%50\\%\\_%",
    sector: "energy",
  })
  expect(read(ofReports, "company=bhp&to=2026-01-01").list.bound).toEqual({
    company: "BHP",
    to: "2026-01-01",
  })
})

test("lists are the same where rows and order are, whatever their page and format", () => {
  const identity = (query: string) => read(ofCompanies, query).list.identity
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
  const another = readListQuery(held, "", null, () => "OTHER").list.identity
  expect(read(held, "").list.identity).not.toBe(another)
})

test("one canonical text for all queries that ask the same, however the format was chosen", () => {
  const canonical = (query: string, accept?: string) =>
    read(ofCompanies, query, accept ?? null).canonical
  expect(canonical("format=json&page=1")).toBe(canonical("_=1"))
  expect(canonical("", "text/csv")).toBe(canonical("format=csv", "application/json"))
  expect(canonical("format=csv")).not.toBe(canonical("format=tsv"))
})
