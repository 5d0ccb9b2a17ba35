/** A list as a page: its filters, its records, and its exports. */

import type { Release } from "../../../db/reader/releases.ts"
import { ApiError, type Fault, faultsOf } from "../../../http/api-error.ts"
import { readParameters } from "../../../http/parameters.ts"
import { encodeQuery } from "../../../http/query-string.ts"
import { apiPath, pathWith } from "../../../responses/endpoint.ts"
import { undatedWords } from "../../../responses/undated.ts"
import { field, notice, pageTitle, tabs } from "../../kit/components.ts"
import { attributes, type Content, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { notFound, type PageError } from "../../kit/page-error.ts"
import { elsewherePanel } from "../elsewhere/panel.ts"
import type { ShownPage, Visit } from "../visit.ts"
import { countedPanels } from "./counted-values.ts"
import { filterForm, filtersInUse } from "./filter-form.ts"
import {
  addressWith,
  pageParameters,
  type RequestedList,
  sentQuery,
  sentValue,
  withQuery,
} from "./list-address.ts"
import { type ListView, titleOf } from "./list-view.ts"
import { possibleCompanies } from "./possible-companies.ts"
import { newerNotice, pastNotice, resultsTable, sentenceOf } from "./results.ts"
import { companiesView, mainViews } from "./views.ts"

export async function listPage(visit: Visit, view: ListView, code = ""): Promise<PageResult> {
  const list: RequestedList = { view, code, sent: sentQuery(visit.query) }
  try {
    // Pages do not have every parameter of the API.
    readParameters(visit.query, pageParameters(view))
    return await shownList(visit, list, await visit.page(view, code, visit.query))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === "NOT_FOUND") throw recordNotFound(companiesView, code)
    if (error.code !== "INVALID_PARAMETER") throw error
    return faultyList(visit, list, faultsOf(error))
  }
}

/** Every record of a list in CSV, from the API's own exporter, as a download without a token. */
export async function csvDownload(visit: Visit, view: ListView, code = ""): Promise<Response> {
  const query = encodeQuery([...sentQuery(visit.query), ["format", "csv"], ["all", "true"]])
  const answer = await visit.export(view, code, query)
  // These headers serve programs of other sites, or describe how the API's responses vary.
  answer.headers.delete("Access-Control-Allow-Origin")
  answer.headers.delete("Access-Control-Expose-Headers")
  answer.headers.set("Vary", "Cookie, Accept-Encoding")
  answer.headers.set("Cache-Control", "private, no-store")
  return answer
}

async function shownList(visit: Visit, list: RequestedList, page: ShownPage): Promise<PageResult> {
  const { view, code } = list
  const [facets, unfiltered, newest, companies, undated] = await Promise.all([
    visit.facets(view, code, visit.query, page.release),
    page.meta.total > 0 ? {} : visit.facets(view, code, "", page.release),
    page.meta.page > 1 ? visit.newest() : null,
    possibleCompanies(visit, list, page),
    visit.undated(view, code, visit.query, page.release),
  ])
  const asOf = sentValue(list, "as_of")
  const day = visit.dayOf(asOf, page.release)
  const api = view.isOfExplorerOnly
    ? null
    : {
        baseUrl: visit.publicUrl,
        path: apiPath(view.endpoint, code),
        query: page.plan.canonical,
        resource: view.endpoint.resource,
      }
  const linkTo = (filter: string, value: string) => addressWith(list, { [filter]: value })
  const results = html`${asOf !== undefined && pastNotice(page.release, asOf, addressWith(list, { as_of: null }))}
${newerNotice(list, page, newest)}
${presetLinks(list, day)}
${filtersInUse(list)}
<p class="to-actions"><a href="#elsewhere">Use this view elsewhere</a></p>
${companies}
${undated.map((each) => html`<p class="muted">${undatedWords("The list", each)}</p>`)}
${resultsTable(list, page, unfiltered, day)}
<div class="panel beside-list">
${elsewherePanel(api, csvAddress(list, page.release))}
${page.meta.total > 0 && html`<div class="stack">${countedPanels(view, facets, linkTo)}</div>`}
</div>`
  return framed(list, sentenceOf(list, page), filterForm(list, facets), results)
}

/** Frequent queries, combined with the current filters; the current query is marked. */
function presetLinks(list: RequestedList, day: string): Content {
  const { presets = [] } = list.view
  if (presets.length === 0) return null
  const links = presets.map(({ title, parameters }) => {
    const changes = parameters(day)
    const isShown = Object.entries(changes).every(
      ([name, value]) => (sentValue(list, name) ?? null) === value,
    )
    return html`<li><a ${attributes({ href: addressWith(list, changes), "aria-current": isShown && "true" })}>${title}</a></li>`
  })
  return html`<ul class="page-sizes" aria-label="Often needed">${links}</ul>`
}

/** Each error is beside its field; a summary replaces the records. */
async function faultyList(
  visit: Visit,
  list: RequestedList,
  faults: readonly Fault[],
): Promise<PageResult> {
  const { view, code } = list
  const facets = await visit.facets(view, code, "", await visit.newest())
  const isOfPage = faults.every(({ parameter }) => parameter === "page")
  const again = isOfPage
    ? html`<a href="${addressWith(list, {})}">Begin again at page 1</a>`
    : html`<a href="/explore${pathWith(view.path, code)}">Begin again without any filter</a>`
  const results = notice(
    "bad",
    html`<p>The address asks for something that can't be shown.</p>
<ul>${faults.map(({ parameter, message }) => html`<li><code>${parameter}</code>: ${message}</li>`)}</ul>
<p>${again}</p>`,
    true,
  )
  const lead = "Nothing is shown until what is marked below is corrected."
  return {
    ...framed(list, lead, filterForm(list, facets, faults), results),
    status: 400,
  }
}

const framed = (
  { view, code }: RequestedList,
  lead: Content,
  form: Content,
  results: Content,
): PageResult => ({
  title: titleOf(view, code),
  section: "/explore",
  scripts: ["copy.js", "explore.js"],
  main: html`${pageTitle(titleOf(view, code), html`<span id="lead">${lead}</span>`)}
${exploreTabs(view)}
<p class="visually-hidden" id="announcement" role="status"></p>
<div class="stack">${form}
<div id="results" class="stack">${results}</div></div>`,
})

export const exploreTabs = (current: ListView): Content =>
  tabs(
    "Lists",
    mainViews.map((view) => ({ path: `/explore${view.path}`, title: titleOf(view) })),
    `/explore${current.path}`,
  )

/** At the release of the page, and with a byte order mark, without which Excel does not read UTF-8. */
const csvAddress = ({ view, code, sent }: RequestedList, { id }: Release): string =>
  withQuery(`/explore${pathWith(view.path, code)}.csv`, [
    ...sent.filter(([name]) => !["page", "per_page", "as_of"].includes(name)),
    ["as_of", String(id)],
    ["bom", "true"],
  ])

/** For a record that is not in its list at this release: searches with the list's first filter. */
export function recordNotFound({ path, noun, filters }: ListView, key: string): PageError {
  const [singular, plural] = noun
  const [search] = filters
  return notFound(
    singular,
    key,
    `No ${singular} has this key at this release. It may have a typing error, or have been removed: the list shows earlier releases with “As of”.`,
    html`<form class="panel filters" method="get" action="/explore${path}" role="search">
${search && field({ name: search.name, label: search.label, input: { type: "search", autocomplete: "off" } })}
<div><button class="primary">Search ${plural}</button></div></form>`,
  )
}
