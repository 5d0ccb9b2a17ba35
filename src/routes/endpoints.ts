/** The endpoints of the API and their paths: what its description describes, and what the routes serve. */
import type { ServedEndpoint } from "../answers/endpoint.ts"
import {
  company,
  companyHistory,
  companyList,
  subsidiariesOfCompany,
  tenementsOfCompany,
} from "./companies.ts"
import { companyFacets, reportFacets, tenementFacets } from "./facets.ts"
import { releaseList } from "./releases.ts"
import { report, reportHistory, reportList } from "./reports.ts"
import { sourceList } from "./sources.ts"
import { tenement, tenementHistory, tenementList } from "./tenements.ts"
import { usageOfAccount } from "./usage.ts"

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
