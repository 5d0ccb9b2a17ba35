import { Elysia } from "elysia"
import { type ListEndpoint, listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { facetsOf } from "../resources/facets.ts"
import { companyList } from "./companies.ts"
import { reportList } from "./reports.ts"
import { tenementList } from "./tenements.ts"

/** The values of the field in the path. @param example the name of one of the fields */
const countedBy = ({ resource, filters }: ListEndpoint, example: string) =>
  listEndpoint({
    description: `Of the ${resource.name} that match the filters. Most frequent first, equal counts by value, unknown values last. Each count is the total of \`/${resource.name}\` with that value and the same filters.`,
    resource: facetsOf(resource, example),
    filters,
    counts: resource,
  })

export const companyFacets = countedBy(companyList, "sector")
export const tenementFacets = countedBy(tenementList, "state")
export const reportFacets = countedBy(reportList, "group")

export const facets = (options: AnswersOptions) =>
  new Elysia({ name: "facets", prefix: "/facets" })
    .use(answers(options))
    .get("/companies/:field", ({ list }) => list(companyFacets))
    .get("/tenements/:field", ({ list }) => list(tenementFacets))
    .get("/reports/:field", ({ list }) => list(reportFacets))
