/** The explorer: the data as tables, for people with an account. */

import { Elysia } from "elysia"
import type { SignedIn } from "../../../accounts/access/sessions.ts"
import type { Usage } from "../../../accounts/access/usage.ts"
import type { Windows } from "../../../accounts/access/windows.ts"
import type { Format } from "../../../api/http/formats.ts"
import { decodeQuery, splitUrl } from "../../../api/http/query-string.ts"
import {
  toHeaders,
  toResetSeconds,
  type WindowState,
} from "../../../api/http/rate-limit-headers.ts"
import { queryOf } from "../../../api/plugins/data-request.ts"
import { contextOf, liftIdleTimeout } from "../../../api/plugins/request-context.ts"
import { pathWith } from "../../../api/responses/endpoint.ts"
import { withoutToken } from "../../../data/db/account-tables.ts"
import { asxCodeFromText } from "../../../data/resources/values.ts"
import { number, relative } from "../kit/format.ts"
import { type PageOptions, type PageResult, signedIn } from "../kit/page-context.ts"
import { PageError } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { changesPage } from "./changes.ts"
import { changeViews } from "./changes-asked.ts"
import { changesFile } from "./changes-file.ts"
import { comparePage } from "./compare.ts"
import { cleanQuery, sentQuery, withQuery } from "./lists/list-address.ts"
import { wholeFile } from "./lists/list-file.ts"
import { listPage } from "./lists/list-page.ts"
import type { ListView } from "./lists/list-view.ts"
import { type BaseMapOptions, createMapView } from "./lists/map-view.ts"
import { tenementsView } from "./lists/tenement-views.ts"
import { companiesView, companySubsidiariesView, listViews, reportsView } from "./lists/views.ts"
import { companyParts } from "./records/company-parts.ts"
import { holderPage } from "./records/holder-page.ts"
import { recordPage } from "./records/record-page.ts"
import { tenementParts } from "./records/tenement-parts.ts"
import { companyNamed, searchPage } from "./search.ts"
import { createVisits, type Visit, type VisitOptions } from "./visit.ts"

interface AdmissionOptions {
  windows: Windows
  usage: Usage
  now: () => Date
}

export type ExploreOptions = PageOptions & AdmissionOptions & VisitOptions & BaseMapOptions

export const explore = (options: ExploreOptions) => {
  const visits = createVisits(options)
  const mapView = createMapView(options)
  const app = new Elysia({ name: "explore", prefix: "/explore" })
    .use(signedIn(options))
    // Its pages are requests of the account, without a token.
    .onBeforeHandle(({ request }) => {
      contextOf(request).isListed = true
    })
    .resolve(({ person, isSessionValid, page, publicUrl, params, request, server }) => {
      // The code of the company of the list. A route without a parameter has no `params`.
      const { code }: { code?: string } = params ?? {}
      const query = queryOf(request)
      const { path } = splitUrl(request.url)
      const visit = visits({
        person,
        publicUrl,
        request,
        requestId: contextOf(request).id,
        query,
        isCallerValid: isSessionValid,
        liftIdleTimeout: () => liftIdleTimeout(server, request),
      })
      /** Redirects to the clean URL, which can be shared, with the code of a company that is named. */
      const filtered = async (read: () => Promise<PageResult>, whole = false) => {
        const clean = cleanQuery(query)
        if (clean !== query) return redirect(clean === "" ? path : `${path}?${clean}`)
        await admit(options, person, isTypeAhead(request))
        const coded = await withCompanyCode(visit, clean)
        if (coded !== clean) return redirect(`${path}?${coded}`)
        return (whole && belongsToCompany(clean)) || page(await read())
      }
      return {
        list: (view: ListView) =>
          filtered(() => listPage(visit, view, code), view.isOfExplorerOnly),
        changes: (name?: string) => filtered(() => changesPage(visit, name)),
        /** Any other page. */
        other: async (read: (visit: Visit) => Promise<PageResult>) => {
          await admit(options, person, isTypeAhead(request))
          return page(await read(visit))
        },
        file: async (view: ListView, format: Format = "csv") => {
          await admit(options, person)
          return wholeFile(visit, view, format, code)
        },
        changesFile: (name: string) => admit(options, person).then(() => changesFile(visit, name)),
      }
    })
    .get("/", () => redirect("/explore/tenements"))
    .get("/search", ({ other }) => other(searchPage))
    .get("/compare", ({ other }) => other(comparePage))
    .get("/changes", ({ changes }) => changes())
    .get("/changes/:list", ({ changes, params }) => changes(params.list))
    .get("/companies/:code", ({ other, params: { code } }) =>
      other((visit) => recordPage(visit, companiesView, code, companyParts)),
    )
    .get("/tenements/:id", ({ other, params: { id } }) =>
      other((visit) => recordPage(visit, tenementsView, id, tenementParts)),
    )
    .get("/holders/:name", ({ other, params: { name } }) =>
      other((visit) => holderPage(visit, name)),
    )
    .get("/reports/:hash", ({ other, params: { hash } }) =>
      other((visit) => recordPage(visit, reportsView, hash)),
    )
    .get("/map.tsv", ({ file }) => file(mapView, "tsv"))
    .get("/map.geojson", ({ file }) => file(mapView, "geojson"))
  for (const name of changeViews.keys()) {
    app.get(`/changes/${name}.csv`, (context) => context.changesFile(name))
  }
  for (const view of [...listViews, mapView]) {
    app.get(view.path, ({ list }) => list(view)).get(`${view.path}.csv`, ({ file }) => file(view))
  }
  return app
}

/** The query with the code of the company in place of its name. */
async function withCompanyCode(visit: Visit, query: string): Promise<string> {
  const [, written = ""] = decodeQuery(query).find(([name]) => name === "company") ?? []
  const code = written && (await companyNamed(visit, written))
  if (!code || code === asxCodeFromText(written)) return query
  return query.replace(/(?<=^|&)company=[^&]*/, `company=${code}`)
}

/** Redirects from the form of all subsidiaries to those of a company. */
function belongsToCompany(query: string): Response | undefined {
  const { path, endpoint } = companySubsidiariesView
  const sent = sentQuery(cleanQuery(query), endpoint.parameters)
  const code = sent.find(([name]) => name === "company")?.[1].trim()
  if (!code) return undefined
  const others = sent.filter(([name]) => name !== "company")
  return redirect(withQuery(`/explore${pathWith(path, code)}`, others))
}

/** Sent by the explorer's script for results while a person types. */
const isTypeAhead = ({ headers }: Request): boolean => headers.get("x-type-ahead") === "true"

/**
 * Pages of the explorer count within the account's window, as requests to the API do. Results while a person
 * types have a window of their own, of the same size, beyond which they count too.
 * @throws PageError 429 if the account's window is used up
 */
export async function admit(
  { windows, usage, now }: AdmissionOptions,
  { accountId, limit }: Pick<SignedIn, "accountId" | "limit">,
  typeAhead = false,
): Promise<void> {
  const { accounts } = windows
  const key = String(accountId)
  const isFree = typeAhead && (await accounts.admit(`type-ahead:${key}`, limit)).admitted
  const window = await (isFree ? accounts.peek(key, limit) : accounts.admit(key, limit))
  if (!window.admitted) throw usedUp(window, now().getTime())
  if (!isFree) usage.count({ accountId, tokenId: withoutToken }, now())
}

function usedUp(window: WindowState, nowMs: number): PageError {
  const { "Retry-After": retryAfter = "1" } = toHeaders(window, nowMs)
  const freeMs = toResetSeconds(window.resetAtMs) * 1000
  const freeTime = new Date(freeMs).toISOString().slice(11, 19)
  return new PageError(
    429,
    "Your requests are used up",
    `Your account may make ${number(window.limit)} requests an hour. Pages and programs count together. ` +
      `Open this page again at ${freeTime} UTC, ${relative(freeMs, nowMs)}.`,
    { "Retry-After": retryAfter },
  )
}
