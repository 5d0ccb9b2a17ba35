/** The endpoints of the API: the routes and the API's description are made from them. */

import { companies } from "../../data/resources/companies.ts"
import { equals } from "../../data/resources/conditions.ts"
import { facetsOf } from "../../data/resources/facets.ts"
import { releases } from "../../data/resources/releases.ts"
import { reports } from "../../data/resources/reports.ts"
import { keyColumn, type Resource, type ResourceRecord } from "../../data/resources/resource.ts"
import { sources } from "../../data/resources/sources.ts"
import { belongsToParent, subsidiaries } from "../../data/resources/subsidiaries.ts"
import { belongsToCompany, tenements } from "../../data/resources/tenements.ts"
import { versionsOf } from "../../data/resources/versions.ts"
import { splitValues } from "../../system/text/fold.ts"
import type { FeedOf } from "../http/atom.ts"
import {
  type Endpoint,
  type ListEndpoint,
  listEndpoint,
  recordEndpoint,
} from "../responses/endpoint.ts"
import { usageOfAccount } from "./usage.ts"

const historyOf = (path: string, resource: Resource): ListEndpoint =>
  listEndpoint({
    path,
    description: "Newest first.",
    resource: versionsOf(resource),
    belongsTo: { resource, scope: equals(keyColumn(resource)) },
  })

/** The values of the field in the path. @param example the name of one of the fields */
const facetsIn = (resource: Resource, example: string): ListEndpoint =>
  listEndpoint({
    path: `/facets/${resource.name}/:field`,
    description: `Of the ${resource.name} that match the filters. Most frequent first, equal counts by value, unknown values last. Each count is the total of \`/${resource.name}\` with that value and the same filters.`,
    resource: facetsOf(resource, example),
    counts: resource,
  })

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

export const companyHistory = historyOf("/companies/:code/history", companies)

export const tenementList = listEndpoint({
  path: "/tenements",
  description: "Ordered by `id` by default. Unknown dates and areas come last.",
  resource: tenements,
})

export const tenement = recordEndpoint("/tenements/:id", tenements)

export const tenementHistory = historyOf("/tenements/:id/history", tenements)

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
  path: "/reports",
  description: "Newest first.",
  resource: reports,
  feed: announcements,
})

export const report = recordEndpoint("/reports/:hash", reports)

export const reportHistory = historyOf("/reports/:hash/history", reports)

export const tenementFacets = facetsIn(tenements, "state")

const releaseList = listEndpoint({
  path: "/releases",
  description: "Newest first.",
  resource: releases,
})

const sourceList = listEndpoint({
  path: "/sources",
  description:
    "In the order of their first loads. The list shows their present state and belongs to no release: loads without a release change it too.",
  resource: sources,
  ofNoRelease: true,
})

/** In the order of their documentation. */
export const endpoints: readonly Endpoint[] = [
  companyList,
  company,
  tenementsOfCompany,
  subsidiariesOfCompany,
  companyHistory,
  tenementList,
  tenement,
  tenementHistory,
  reportList,
  report,
  reportHistory,
  facetsIn(companies, "sector"),
  tenementFacets,
  facetsIn(reports, "group"),
  releaseList,
  sourceList,
  usageOfAccount,
]
