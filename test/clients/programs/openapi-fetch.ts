/** Reads every endpoint with openapi-fetch and the types that openapi-typescript generated. */
import createClient from "openapi-fetch"
import type { components, paths } from "./generated/openapi-typescript.ts"

const { SERVICE_URL = "", TOKEN = "" } = process.env

const client = createClient<paths, "application/json">({
  baseUrl: `${SERVICE_URL}/api/v1`,
  headers: { Authorization: `Bearer ${TOKEN}` },
})

const inCompany = { params: { path: { code: "XMR" } } }

const results = {
  listCompanies: await client.GET("/companies", {
    params: { query: { sector: "Materials", sort: "market_cap", order: "desc", per_page: 10 } },
  }),
  getCompany: await client.GET("/companies/{code}", inCompany),
  listTenementsOfCompany: await client.GET("/companies/{code}/tenements", inCompany),
  listSubsidiariesOfCompany: await client.GET("/companies/{code}/subsidiaries", inCompany),
  listVersionsOfCompany: await client.GET("/companies/{code}/history", inCompany),
  listTenements: await client.GET("/tenements", { params: { query: { state: "WA" } } }),
  getTenement: await client.GET("/tenements/{id}", { params: { path: { id: "WA-E47-9001" } } }),
  listVersionsOfTenement: await client.GET("/tenements/{id}/history", {
    params: { path: { id: "WA-E47-9001" } },
  }),
  listReports: await client.GET("/reports", {
    params: { query: { from: "2026-01-01", as_of: "1" } },
  }),
  getReport: await client.GET("/reports/{hash}", {
    params: { path: { hash: "0f4c2d1e8b7a69583746251403f2e1d0" } },
  }),
  listVersionsOfReport: await client.GET("/reports/{hash}/history", {
    params: { path: { hash: "0f4c2d1e8b7a69583746251403f2e1d0" } },
  }),
  listCompanyFacets: await client.GET("/facets/companies/{field}", {
    params: { path: { field: "sector" } },
  }),
  listTenementFacets: await client.GET("/facets/tenements/{field}", {
    params: { path: { field: "status" }, query: { state: "WA" } },
  }),
  listReportFacets: await client.GET("/facets/reports/{field}", {
    params: { path: { field: "group" } },
  }),
  listReleases: await client.GET("/releases"),
  listSources: await client.GET("/sources"),
  getUsage: await client.GET("/usage"),
}

// The types describe the responses: unknown values are null, and no field is missing.
const marketCap: number | null | undefined = results.getCompany.data?.data.market_cap_aud
const state: components["schemas"]["Tenement"]["state"] | undefined =
  results.listTenements.data?.data[0]?.state
// @ts-expect-error: a value may be null
const notNull: number | undefined = results.getCompany.data?.data.market_cap_aud
// @ts-expect-error: a parameter that does not exist
await client.GET("/releases", { params: { query: { sector: "Energy" } } })
// @ts-expect-error: a value that is not of the enumeration
await client.GET("/tenements", { params: { query: { state: "ACT" } } })

// Errors differ by their code.
const { error } = await client.GET("/companies", { params: { query: { per_page: 500 } } })
const fault =
  error?.error.code === "INVALID_PARAMETER" ? error.error.details.parameters[0]?.parameter : null

// CSV is text.
const csv = await client.GET("/companies", {
  params: { query: { format: "csv", all: true } },
  parseAs: "text",
})

const responses = Object.fromEntries(
  Object.entries(results).map(([name, { data }]) => [name, data]),
)
process.stdout.write(JSON.stringify({ responses, marketCap, state, notNull, fault, csv: csv.data }))
