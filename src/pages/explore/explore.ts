/** The explorer: the data as tables, for people who have signed in. */
import { Elysia } from "elysia"
import { targetOf } from "../../plugins/request-target.ts"
import { type PageOptions, signedIn } from "../kit/page-context.ts"
import { redirect } from "../kit/page-response.ts"
import { createExplorer, type ExplorerOptions, type Visit } from "./explorer.ts"
import { csvDownload } from "./lists/csv-download.ts"
import { sentQuery, withoutEmpty, withQuery } from "./lists/list-address.ts"
import { listPage } from "./lists/list-page.ts"
import { type ListView, pathWith } from "./lists/list-view.ts"
import {
  companiesView,
  companySubsidiariesView,
  companyTenementsView,
  reportsView,
  subsidiariesView,
  tenementsView,
} from "./lists/views.ts"
import { admit, isTypeAhead } from "./reading/admission.ts"
import { companyPage } from "./records/company-page.ts"
import { reportPage } from "./records/report-page.ts"
import { tenementPage } from "./records/tenement-page.ts"

export type ExploreOptions = PageOptions & ExplorerOptions

export const explore = (options: ExploreOptions) => {
  const explorer = createExplorer(options)
  return (
    new Elysia({ name: "explore", prefix: "/explore" })
      .use(signedIn(options))
      // Its pages are requests of the account, without a token.
      .onBeforeHandle((context) => {
        context.isListed = true
      })
      .resolve(({ person, page, publicUrl, request, requestId, address, server }) => {
        const { path, query } = targetOf(request)
        const visit: Visit = {
          person,
          publicUrl,
          request,
          requestId,
          address,
          query,
          disableIdleTimeout: () => server?.timeout(request, 0),
        }
        return {
          visit,
          /** Without the fields of its form that were left empty, so that it can be shared. */
          list: async (view: ListView, code = "") => {
            const clean = withoutEmpty(query)
            if (clean !== null) return redirect(clean === "" ? path : `${path}?${clean}`)
            await admit(options, person, isTypeAhead(request))
            return page(await listPage(explorer, visit, view, code))
          },
          csv: async (view: ListView, code = "") => {
            await admit(options, person)
            return csvDownload(explorer, visit, view, code)
          },
          record: async (make: typeof companyPage, key: string) => {
            await admit(options, person)
            return page(await make(explorer, visit, key))
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
      .get("/subsidiaries", ({ list, visit }) => ofCompany(visit) ?? list(subsidiariesView))
      .get("/subsidiaries.csv", ({ csv }) => csv(subsidiariesView))
      .get("/companies/:code", ({ record, params: { code } }) => record(companyPage, code))
      .get("/companies/:code/tenements", ({ list, params: { code } }) =>
        list(companyTenementsView, code),
      )
      .get("/companies/:code/tenements.csv", ({ csv, params: { code } }) =>
        csv(companyTenementsView, code),
      )
      .get("/companies/:code/subsidiaries", ({ list, params: { code } }) =>
        list(companySubsidiariesView, code),
      )
      .get("/companies/:code/subsidiaries.csv", ({ csv, params: { code } }) =>
        csv(companySubsidiariesView, code),
      )
      .get("/tenements/:id", ({ record, params: { id } }) => record(tenementPage, id))
      .get("/reports/:hash", ({ record, params: { hash } }) => record(reportPage, hash))
  )
}

/** From the form of all subsidiaries to those of a company. */
function ofCompany({ query }: Visit): Response | undefined {
  const sent = sentQuery(query)
  const code = sent.find(([name]) => name === "company")?.[1].trim()
  if (!code) return undefined
  const others = sent.filter(([name, value]) => name !== "company" && value !== "")
  return redirect(withQuery(`/explore${pathWith(companySubsidiariesView.path, code)}`, others))
}
