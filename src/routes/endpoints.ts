/** The endpoints of the API and their paths: the routes serve them, and the API's description describes them. */
import { recordEndpoint, type ServedEndpoint } from "../answers/endpoint.ts"
import { type ListEndpoint, listEndpoint } from "../answers/list-endpoint.ts"
import type { FeedOf } from "../http/atom.ts"
import { companies } from "../resources/companies.ts"
import { equals } from "../resources/conditions.ts"
import { facetsOf } from "../resources/facets.ts"
import { releases } from "../resources/releases.ts"
import { reports } from "../resources/reports.ts"
import { keyColumn, type Resource, type ResourceRecord } from "../resources/resource.ts"
import { sources } from "../resources/sources.ts"
import { belongsToParent, subsidiaries } from "../resources/subsidiaries.ts"
import { belongsToCompany, tenements } from "../resources/tenements.ts"
import { versionsOf } from "../resources/versions.ts"
import { splitValues } from "../text/fold.ts"
import { usageOfAccount } from "./usage.ts"

const historyOf = (resource: Resource): ListEndpoint =>
  listEndpoint({
    description: "Newest first.",
    resource: versionsOf(resource),
    belongsTo: { resource, scope: equals(keyColumn(resource)) },
  })

/** The values of the field in the path. @param example the name of one of the fields */
const facetsIn = (resource: Resource, example: string): ListEndpoint =>
  listEndpoint({
    description: `Of the ${resource.name} that match the filters. Most frequent first, equal counts by value, unknown values last. Each count is the total of \`/${resource.name}\` with that value and the same filters.`,
    resource: facetsOf(resource, example),
    counts: resource,
  })

export const companyList = listEndpoint({
  description: "Ordered by name by default; only listed companies, unless `active` is `false`.",
  resource: companies,
})

export const company = recordEndpoint(companies)

export const tenementsOfCompany = listEndpoint({
  description: "Those of the company and its subsidiaries, ordered by `id` by default.",
  resource: tenements,
  filters: Object.keys(tenements.filters).filter((name) => name !== "company"),
  belongsTo: { resource: companies, scope: belongsToCompany },
})

export const subsidiariesOfCompany = listEndpoint({
  description: "Ordered by name.",
  resource: subsidiaries,
  belongsTo: { resource: companies, scope: belongsToParent },
})

export const companyHistory = historyOf(companies)

export const tenementList = listEndpoint({
  description: "Ordered by `id` by default. Unknown dates and areas come last.",
  resource: tenements,
})

export const tenement = recordEndpoint(tenements)

export const tenementHistory = historyOf(tenements)

/** Reports as the entries of a feed. */
const announcements: FeedOf<ResourceRecord> = {
  title: "ASX announcements",
  entryOf: ({ hash, asx_code, title, type, published_at, url }) => ({
    id: String(hash),
    title: `${asx_code}: ${title}`,
    author: String(asx_code),
    updated: String(published_at),
    summary: `An announcement of ${asx_code}${type === null ? "" : `: ${type}`}`,
    categories: splitValues(String(type ?? "")),
    link: url === null ? null : String(url),
  }),
}

export const reportList = listEndpoint({
  description: "Newest first.",
  resource: reports,
  feed: announcements,
})

export const report = recordEndpoint(reports)

export const reportHistory = historyOf(reports)

export const companyFacets = facetsIn(companies, "sector")
export const tenementFacets = facetsIn(tenements, "state")
export const reportFacets = facetsIn(reports, "group")

export const releaseList = listEndpoint({ description: "Newest first.", resource: releases })

export const sourceList = listEndpoint({
  description:
    "In the order of their first loads. The list shows their present state and belongs to no release: loads that publish none change it too.",
  resource: sources,
  ofNoRelease: true,
})

export const endpoints: readonly ServedEndpoint[] = [
  { path: "/api/v1/companies", endpoint: companyList },
  { path: "/api/v1/companies/:code", endpoint: company },
  { path: "/api/v1/companies/:code/tenements", endpoint: tenementsOfCompany },
  { path: "/api/v1/companies/:code/subsidiaries", endpoint: subsidiariesOfCompany },
  { path: "/api/v1/companies/:code/history", endpoint: companyHistory },
  { path: "/api/v1/tenements", endpoint: tenementList },
  { path: "/api/v1/tenements/:id", endpoint: tenement },
  { path: "/api/v1/tenements/:id/history", endpoint: tenementHistory },
  { path: "/api/v1/reports", endpoint: reportList },
  { path: "/api/v1/reports/:hash", endpoint: report },
  { path: "/api/v1/reports/:hash/history", endpoint: reportHistory },
  { path: "/api/v1/facets/companies/:field", endpoint: companyFacets },
  { path: "/api/v1/facets/tenements/:field", endpoint: tenementFacets },
  { path: "/api/v1/facets/reports/:field", endpoint: reportFacets },
  { path: "/api/v1/releases", endpoint: releaseList },
  { path: "/api/v1/sources", endpoint: sourceList },
  { path: "/api/v1/usage", endpoint: usageOfAccount },
]
