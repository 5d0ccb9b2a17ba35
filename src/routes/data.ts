/** The routes of the data: each names the endpoint that it serves. */
import { Elysia } from "elysia"
import type { ReadState } from "../answers/state-answer.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import {
  company,
  companyFacets,
  companyHistory,
  companyList,
  releaseList,
  report,
  reportFacets,
  reportHistory,
  reportList,
  sourceList,
  subsidiariesOfCompany,
  tenement,
  tenementFacets,
  tenementHistory,
  tenementList,
  tenementsOfCompany,
} from "./endpoints.ts"

export interface DataOptions extends AnswersOptions {
  readSources: ReadState
}

export const data = (options: DataOptions) =>
  new Elysia({ name: "data" })
    .use(answers(options))
    .get("/companies", ({ list }) => list(companyList))
    .get("/companies/:code", ({ record }) => record(company))
    .get("/companies/:code/tenements", ({ list }) => list(tenementsOfCompany))
    .get("/companies/:code/subsidiaries", ({ list }) => list(subsidiariesOfCompany))
    .get("/companies/:code/history", ({ list }) => list(companyHistory))
    .get("/tenements", ({ list }) => list(tenementList))
    .get("/tenements/:id", ({ record }) => record(tenement))
    .get("/tenements/:id/history", ({ list }) => list(tenementHistory))
    .get("/reports", ({ list }) => list(reportList))
    .get("/reports/:hash", ({ record }) => record(report))
    .get("/reports/:hash/history", ({ list }) => list(reportHistory))
    .get("/facets/companies/:field", ({ list }) => list(companyFacets))
    .get("/facets/tenements/:field", ({ list }) => list(tenementFacets))
    .get("/facets/reports/:field", ({ list }) => list(reportFacets))
    .get("/releases", ({ list }) => list(releaseList))
    .get("/sources", ({ state }) => state(sourceList, options.readSources))
