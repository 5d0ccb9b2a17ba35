/** The explorer: the data as tables, for people who have signed in. */
import { Elysia } from "elysia"
import { targetOf } from "../../plugins/request-target.ts"
import { type PageOptions, signedIn } from "../kit/page-context.ts"
import { redirect } from "../kit/page-response.ts"
import { type AdmissionOptions, admit, isTypeAhead } from "./admission.ts"
import { sentQuery, withoutEmpty, withQuery } from "./lists/list-address.ts"
import { csvDownload, listPage } from "./lists/list-page.ts"
import { type ListOfRecords, type ListView, pathWith } from "./lists/list-view.ts"
import {
  companiesView,
  companySubsidiariesView,
  companyTenementsView,
  reportsView,
  subsidiariesView,
  tenementsView,
} from "./lists/views.ts"
import { companyParts } from "./records/company-parts.ts"
import { type ReadParts, recordPage } from "./records/record-page.ts"
import { createVisits, type VisitOptions } from "./visit.ts"

export type ExploreOptions = PageOptions & AdmissionOptions & VisitOptions

export const explore = (options: ExploreOptions) => {
  const visits = createVisits(options)
  return (
    new Elysia({ name: "explore", prefix: "/explore" })
      .use(signedIn(options))
      // Its pages are requests of the account, without a token.
      .onBeforeHandle((context) => {
        context.isListed = true
      })
      .resolve(({ person, page, publicUrl, request, requestId, server }) => {
        const { path, query } = targetOf(request)
        const visit = visits({
          person,
          publicUrl,
          request,
          requestId,
          query,
          disableIdleTimeout: () => server?.timeout(request, 0),
        })
        return {
          visit,
          /** Without the fields of its form that were left empty, so that it can be shared. */
          list: async (view: ListView, code = "") => {
            const clean = withoutEmpty(query)
            if (clean !== null) return redirect(clean === "" ? path : `${path}?${clean}`)
            await admit(options, person, isTypeAhead(request))
            return page(await listPage(visit, view, code))
          },
          csv: async (view: ListView, code = "") => {
            await admit(options, person)
            return csvDownload(visit, view, code)
          },
          record: async (view: ListOfRecords, key: string, readParts?: ReadParts) => {
            await admit(options, person)
            return page(await recordPage(visit, view, key, readParts))
          },
        }
      })
      .get("/", () => redirect("/explore/tenements"))
      .get("/companies", ({ list }) => list(companiesView))
      .get("/companies.csv", ({ csv }) => csv(companiesView))
      .get("/tenements", ({ list }) => list(tenementsView))
      .get("/tenements.csv", ({ csv }) => csv(tenementsView))
      .get("/reports", ({ list }) => list(reportsView))
      .get("/reports.csv", ({ csv }) => csv(reportsView))
      .get("/subsidiaries", ({ list, visit }) => ofCompany(visit.query) ?? list(subsidiariesView))
      .get("/subsidiaries.csv", ({ csv }) => csv(subsidiariesView))
      .get("/companies/:code", ({ record, params }) =>
        record(companiesView, params.code, companyParts),
      )
      .get("/companies/:code/tenements", ({ list, params }) =>
        list(companyTenementsView, params.code),
      )
      .get("/companies/:code/tenements.csv", ({ csv, params }) =>
        csv(companyTenementsView, params.code),
      )
      .get("/companies/:code/subsidiaries", ({ list, params }) =>
        list(companySubsidiariesView, params.code),
      )
      .get("/companies/:code/subsidiaries.csv", ({ csv, params }) =>
        csv(companySubsidiariesView, params.code),
      )
      .get("/tenements/:id", ({ record, params }) => record(tenementsView, params.id))
      .get("/reports/:hash", ({ record, params }) => record(reportsView, params.hash))
  )
}

/** From the form of all subsidiaries to those of a company. */
function ofCompany(query: string): Response | undefined {
  const sent = sentQuery(query)
  const code = sent.find(([name]) => name === "company")?.[1].trim()
  if (!code) return undefined
  const others = sent.filter(([name, value]) => name !== "company" && value !== "")
  return redirect(withQuery(`/explore${pathWith(companySubsidiariesView.path, code)}`, others))
}
