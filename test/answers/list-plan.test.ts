/** A list request is planned from its endpoint and query alone. */
import { expect, test } from "bun:test"
import { type ListEndpoint, listEndpoint } from "../../src/answers/list-endpoint.ts"
import { planList } from "../../src/answers/list-plan.ts"
import { companies } from "../../src/resources/companies.ts"
import { reports } from "../../src/resources/reports.ts"
import { subsidiaries } from "../../src/resources/subsidiaries.ts"
import { belongsToCompany, tenements } from "../../src/resources/tenements.ts"

const ofCompanies = listEndpoint({ resource: companies, filters: ["search", "sector", "active"] })
const held = listEndpoint({
  resource: tenements,
  filters: ["state"],
  belongsTo: { resource: companies, scope: belongsToCompany },
})
const common = [
  "as_of",
  "updated_since",
  "removed_since",
  "fields",
  "format",
  "all",
  "bom",
  "formula_guard",
]

const plan = (
  endpoint: ListEndpoint,
  query: string,
  accept: string | null = null,
  parent = "BIG",
) => planList(endpoint, { path: `/x/${parent}`, query, accept }, parent)

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
  expect(Object.keys(held.parameters)).toEqual([
    "page",
    "per_page",
    "state",
    "sort",
    "order",
    ...common,
  ])
  expect(ofCompanies.parameters.per_page).toMatchObject({
    minimum: 1,
    maximum: 100,
    default: 50,
  })
})

test("every selection of fields is of the same list, which shares its total, positions and statements", () => {
  const [all, one, other] = ["", "fields=state,id", "fields=id"].map((query) => plan(held, query))
  expect(new Set([all?.list.identity, one?.list.identity, other?.list.identity]).size).toBe(1)
  expect(Object.keys(one?.list.resource.fields ?? {})).toEqual(
    Object.keys(other?.list.resource.fields ?? {}),
  )
})

test("every filter that takes free text bounds its length", () => {
  const filters = [companies, tenements, reports, subsidiaries].flatMap((resource) =>
    Object.entries(resource.filters).map(([name, { schema }]) => ({ name, schema })),
  )
  const unbounded = filters.filter(
    ({ schema: { type, enum: values, format, maxLength } }) =>
      type === "string" && !values && format === undefined && maxLength !== 200,
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

test("one page sequence for all pages of a query, apart from other formats and from another _", () => {
  const sequence = (query: string, accept?: string) =>
    plan(ofCompanies, query, accept ?? null).sequenceKey
  expect(sequence("page=2&sort=name")).toBe(sequence("page=7"))
  expect(sequence("", "text/csv")).toBe(sequence("format=csv", "application/json"))
  const others = ["", "format=csv", "_=1", "per_page=7", "as_of=1", "search=a"]
  expect(new Set(others.map((query) => sequence(query))).size).toBe(others.length)
})
