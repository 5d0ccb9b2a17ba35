/** The question for a list follows only from its endpoint and its query. */
import { expect, test } from "bun:test"
import { acceptedFormats } from "../../../src/api/http/negotiation.ts"
import { askSentList } from "../../../src/api/responses/ask.ts"
import { type ListEndpoint, listEndpoint } from "../../../src/api/responses/endpoint.ts"
import { companies } from "../../../src/data/resources/companies.ts"
import { reports } from "../../../src/data/resources/reports.ts"
import { subsidiaries } from "../../../src/data/resources/subsidiaries.ts"
import { belongsToCompany, tenements } from "../../../src/data/resources/tenements.ts"

const ofCompanies = listEndpoint({
  path: "/companies",
  resource: companies,
  filters: ["search", "sector", "active"],
})
const held = listEndpoint({
  path: "/companies/:code/tenements",
  resource: tenements,
  filters: ["state"],
  belongsTo: { resource: companies, scope: belongsToCompany },
})

const ask = (
  endpoint: ListEndpoint,
  query: string,
  accept: string | null = null,
  parent = "BIG",
) => {
  const format = new URLSearchParams(query).get("format")
  return askSentList(endpoint, { query, accepted: acceptedFormats(format, accept) }, parent)
}

test("Every selection of fields is of the same list, which shares its total, positions and statements", () => {
  const [all, one, other] = ["", "fields=state,id", "fields=id"].map((query) => ask(held, query))
  expect(new Set([all?.list.identity, one?.list.identity, other?.list.identity]).size).toBe(1)
  expect(one?.list.fieldSet).toBe(other?.list.fieldSet)
})

test("Every filter that takes free text bounds its length", () => {
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

test("All pages of a query share one page sequence, apart from other formats and values of _", () => {
  const sequence = (query: string, accept?: string) =>
    ask(ofCompanies, query, accept ?? null).sequence
  expect(sequence("page=2&sort=name")).toBe(sequence("page=7"))
  expect(sequence("", "text/csv")).toBe(sequence("format=csv", "application/json"))
  const others = ["", "format=csv", "_=1", "per_page=7", "as_of=1", "search=a"]
  expect(new Set(others.map((query) => sequence(query))).size).toBe(others.length)
})
