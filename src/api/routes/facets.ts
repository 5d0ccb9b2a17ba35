/** The values of the fields of lists, counted. */
import { Elysia } from "elysia"
import { companies } from "../../data/resources/companies.ts"
import { facetsOf } from "../../data/resources/facets.ts"
import { reports } from "../../data/resources/reports.ts"
import type { Resource } from "../../data/resources/resource.ts"
import { tenements } from "../../data/resources/tenements.ts"
import { dataRequest } from "../plugins/data-request.ts"
import { listEndpoint } from "../responses/endpoint.ts"
import { type DataOptions, responder } from "./data.ts"

/** The values of the field in the path. @param example the name of one of the fields */
const facetsIn = (path: string, resource: Resource, example: string) =>
  listEndpoint({
    path,
    description: `Of the ${resource.name} that match the filters. Most frequent first, equal counts by value, unknown values last. Each count is the total of \`/${resource.name}\` with that value and the same filters.`,
    resource: facetsOf(resource, example),
    counts: resource,
  })

export const companyFacets = facetsIn("/facets/companies/:field", companies, "sector")
export const tenementFacets = facetsIn("/facets/tenements/:field", tenements, "state")
export const reportFacets = facetsIn("/facets/reports/:field", reports, "group")

export function facetRoutes(options: DataOptions) {
  const respond = responder(options)
  return new Elysia({ name: "facets" })
    .use(dataRequest(options))
    .get(companyFacets.path, respond(companyFacets))
    .get(tenementFacets.path, respond(tenementFacets))
    .get(reportFacets.path, respond(reportFacets))
}
