/** Companies, and what belongs to one. */
import { Elysia } from "elysia"
import { companies } from "../../data/resources/companies.ts"
import { belongsToParent, subsidiaries } from "../../data/resources/subsidiaries.ts"
import { belongsToCompany, tenements } from "../../data/resources/tenements.ts"
import { dataRequest } from "../plugins/data-request.ts"
import { historyEndpoint, listEndpoint, recordEndpoint } from "../responses/endpoint.ts"
import { type DataOptions, responder } from "./data.ts"

export const companyList = listEndpoint({
  path: "/companies",
  description: "Ordered by name by default; only listed companies, unless `active` is `false`.",
  resource: companies,
})

export const company = recordEndpoint("/companies/:code", companies)

export const tenementsOfCompany = listEndpoint({
  path: "/companies/:code/tenements",
  description: "Those of the company and its subsidiaries, ordered by `id` by default.",
  resource: tenements,
  filters: Object.keys(tenements.filters).filter((name) => name !== "company"),
  belongsTo: { resource: companies, scope: belongsToCompany },
})

export const subsidiariesOfCompany = listEndpoint({
  path: "/companies/:code/subsidiaries",
  description: "Ordered by name.",
  resource: subsidiaries,
  belongsTo: { resource: companies, scope: belongsToParent },
})

export const companyHistory = historyEndpoint("/companies/:code/history", companies)

export function companyRoutes(options: DataOptions) {
  const respond = responder(options)
  return new Elysia({ name: "companies" })
    .use(dataRequest(options))
    .get(companyList.path, respond(companyList))
    .get(company.path, respond(company))
    .get(tenementsOfCompany.path, respond(tenementsOfCompany))
    .get(subsidiariesOfCompany.path, respond(subsidiariesOfCompany))
    .get(companyHistory.path, respond(companyHistory))
}
