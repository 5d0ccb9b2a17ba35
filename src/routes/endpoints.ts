/** The endpoints of the API and their paths: the routes and the API's description are made from them. */
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

export const reportHistory = historyOf(reports)

export const tenementFacets = facetsIn(tenements, "state")
const releaseList = listEndpoint({ description: "Newest first.", resource: releases })

const sourceList = listEndpoint({
  description:
    "In the order of their first loads. The list shows their present state and belongs to no release: loads that publish none change it too.",
  resource: sources,
  ofNoRelease: true,
})

/** Under /api/v1. */
export const endpoints: readonly ServedEndpoint[] = [
  { path: "/companies", endpoint: companyList },
  { path: "/companies/:code", endpoint: recordEndpoint(companies) },
  { path: "/companies/:code/tenements", endpoint: tenementsOfCompany },
  { path: "/companies/:code/subsidiaries", endpoint: subsidiariesOfCompany },
  { path: "/companies/:code/history", endpoint: companyHistory },
  { path: "/tenements", endpoint: tenementList },
  { path: "/tenements/:id", endpoint: recordEndpoint(tenements) },
  { path: "/tenements/:id/history", endpoint: tenementHistory },
  { path: "/reports", endpoint: reportList },
  { path: "/reports/:hash", endpoint: recordEndpoint(reports) },
  { path: "/reports/:hash/history", endpoint: reportHistory },
  { path: "/facets/companies/:field", endpoint: facetsIn(companies, "sector") },
  { path: "/facets/tenements/:field", endpoint: tenementFacets },
  { path: "/facets/reports/:field", endpoint: facetsIn(reports, "group") },
  { path: "/releases", endpoint: releaseList },
  { path: "/sources", endpoint: sourceList },
  { path: "/usage", endpoint: usageOfAccount },
]
