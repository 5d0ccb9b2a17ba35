import type { Endpoint } from "../responses/endpoint.ts"
import {
  company,
  companyHistory,
  companyList,
  subsidiariesOfCompany,
  tenementsOfCompany,
} from "./companies.ts"
import { companyFacets, reportFacets, tenementFacets } from "./facets.ts"
import { releaseList, sourceList } from "./releases.ts"
import { report, reportHistory, reportList } from "./reports.ts"
import { tenement, tenementHistory, tenementList } from "./tenements.ts"
import { usageOfAccount } from "./usage.ts"

/** The endpoints that the route groups serve, in the order of their documentation. */
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
  companyFacets,
  tenementFacets,
  reportFacets,
  releaseList,
  sourceList,
  usageOfAccount,
]
