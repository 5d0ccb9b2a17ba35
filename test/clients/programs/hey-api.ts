/** Reads every endpoint with the client that @hey-api/openapi-ts generated. */
import { client } from "./generated/hey-api/client.gen.ts"
import {
  getCompany,
  getReport,
  getTenement,
  getUsage,
  listCompanies,
  listReleases,
  listReports,
  listSources,
  listSubsidiariesOfCompany,
  listTenements,
  listTenementsOfCompany,
  listVersionsOfCompany,
  listVersionsOfReport,
  listVersionsOfTenement,
  type Tenement,
} from "./generated/hey-api/index.ts"

const { SERVICE_URL = "", TOKEN = "" } = process.env

client.setConfig({ baseUrl: `${SERVICE_URL}/api/v1`, auth: () => TOKEN })

const path = { code: "XMR" }

const results = {
  listCompanies: await listCompanies({
    query: { sector: "Materials", sort: "market_cap", order: "desc", per_page: 10 },
  }),
  getCompany: await getCompany({ path }),
  listTenementsOfCompany: await listTenementsOfCompany({ path }),
  listSubsidiariesOfCompany: await listSubsidiariesOfCompany({ path }),
  listVersionsOfCompany: await listVersionsOfCompany({ path }),
  listTenements: await listTenements({ query: { state: "WA" } }),
  getTenement: await getTenement({ path: { id: "WA-E47-9001" } }),
  listVersionsOfTenement: await listVersionsOfTenement({ path: { id: "WA-E47-9001" } }),
  listReports: await listReports({ query: { from: "2026-01-01", as_of: "2" } }),
  getReport: await getReport({ path: { hash: "0f4c2d1e8b7a69583746251403f2e1d0" } }),
  listVersionsOfReport: await listVersionsOfReport({
    path: { hash: "0f4c2d1e8b7a69583746251403f2e1d0" },
  }),
  listReleases: await listReleases(),
  listSources: await listSources(),
  getUsage: await getUsage(),
}

// The types say what the service answers: unknown values are null, and no field is missing.
const marketCap: number | null | undefined = results.getCompany.data?.data.market_cap_aud
const state: Tenement["state"] | undefined = results.listTenements.data?.data[0]?.state
// @ts-expect-error: a value may be null
const notNull: number | undefined = results.getCompany.data?.data.market_cap_aud
// @ts-expect-error: a parameter that does not exist
await listReleases({ query: { sector: "Energy" } })
// @ts-expect-error: a value that is not of the enumeration
await listTenements({ query: { state: "ACT" } })

// Errors are told apart by their code.
const { error } = await listCompanies({ query: { per_page: 500 } })
const fault =
  error?.error.code === "INVALID_PARAMETER" ? error.error.details.parameters[0]?.parameter : null

// CSV is text.
const csv = await listCompanies({ query: { format: "csv", all: true }, parseAs: "text" })

const answers = Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, data]))
process.stdout.write(JSON.stringify({ answers, marketCap, state, notNull, fault, csv: csv.data }))
