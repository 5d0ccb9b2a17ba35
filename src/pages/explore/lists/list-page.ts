/** A list as a page: its filters, its records, and what else can be done with it. */
import { planList } from "../../../answers/list-plan.ts"
import { ApiError, type Fault } from "../../../http/api-error.ts"
import { field, notice, pageTitle, tabs } from "../../kit/components.ts"
import { type Content, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { notFound, type PageError } from "../../kit/page-error.ts"
import { elsewherePanel } from "../elsewhere/panel.ts"
import type { Explorer, Visit } from "../explorer.ts"
import type { ShownPage } from "../reading/ask.ts"
import { readBreakdown } from "../reading/breakdowns.ts"
import { choicesOf, countedPanel, type Groups } from "./counted-values.ts"
import { filterForm, filtersInUse } from "./filter-form.ts"
import {
  type AskedList,
  addressWith,
  checkParameters,
  sentQuery,
  sentValue,
  withQuery,
} from "./list-address.ts"
import { countedFields, type ListView, pathWith } from "./list-view.ts"
import { resultsTable } from "./results.ts"
import { companiesView, mainViews } from "./views.ts"
import { newerNotice, pastNotice, sentenceOf } from "./words.ts"

export async function listPage(
  explorer: Explorer,
  visit: Visit,
  view: ListView,
  code: string,
): Promise<PageResult> {
  const list: AskedList = { view, code, sent: sentQuery(visit.query) }
  try {
    checkParameters(view, visit.query)
    const target = { path: apiPathOf(list), query: visit.query }
    const requested = { endpoint: view.endpoint, parent: code }
    return await shownList(explorer, visit, list, await explorer.ask.page(visit, requested, target))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === "NOT_FOUND") throw recordNotFound(companiesView, code)
    if (error.code !== "INVALID_PARAMETER") throw error
    return faultyList(explorer, visit, list, faultsOf(error))
  }
}

async function shownList(
  explorer: Explorer,
  visit: Visit,
  list: AskedList,
  page: ShownPage,
): Promise<PageResult> {
  const { view, code } = list
  const [groups, ofAll, tokens, newest] = await Promise.all([
    groupsOf(explorer, visit, view, page.plan, page.release.id),
    groupsOf(explorer, visit, view, unfiltered(list), page.release.id),
    explorer.tokens(visit.person.accountId),
    page.meta.page > 1 ? explorer.releases.current(visit.person.accountId) : null,
  ])
  const asOf = sentValue(list, "as_of")
  const lead = sentenceOf(list, page)
  const api = view.apiPath && {
    baseUrl: visit.publicUrl,
    path: apiPathOf(list),
    query: page.plan.canonical,
    resource: view.endpoint.resource,
    kind: "list" as const,
  }
  const results = html`${asOf !== undefined && pastNotice(page.release, asOf, addressWith(list, { as_of: null }))}
${newerNotice(list, page, newest)}
${filtersInUse(list)}
${resultsTable(list, page, ofAll)}
<div class="panel beside-list">
${elsewherePanel({ view: api || null, tokens, csv: csvAddress(list) })}
${page.meta.total > 0 && html`<div class="stack">${view.counted.map((counted) => countedPanel(view, counted, groups, (filter, value) => addressWith(list, { [filter]: value })))}</div>`}
</div>`
  return framed(
    list,
    lead,
    html`${filterForm({ list, choices: choicesOf(view, ofAll), faults: [] })}
<div id="results" class="stack">${results}</div>`,
    code,
  )
}

/** What is wrong stands at its field, and all of it in place of the records. */
async function faultyList(
  explorer: Explorer,
  visit: Visit,
  list: AskedList,
  faults: readonly Fault[],
): Promise<PageResult> {
  const { view, code } = list
  const newest = explorer.releases.cached()
  const ofAll = newest ? await groupsOf(explorer, visit, view, unfiltered(list), newest.id) : null
  const isOfPage = faults.every(({ parameter }) => parameter === "page")
  const again = isOfPage
    ? html`<a href="${addressWith(list, {})}">Begin again at page 1</a>`
    : html`<a href="/explore${pathWith(view.path, code)}">Begin again without any filter</a>`
  const lead = "Nothing is shown until what is marked below is corrected."
  const main = html`${filterForm({ list, choices: choicesOf(view, ofAll), faults })}
<div id="results" class="stack">${notice(
    "bad",
    html`<p>The address asks for something that can't be shown.</p>
<ul>${faults.map(({ parameter, message }) => html`<li><code>${parameter}</code>: ${message}</li>`)}</ul>
<p>${again}</p>`,
    true,
  )}</div>`
  return { ...framed(list, lead, main, code), status: 400 }
}

function framed({ view }: AskedList, lead: Content, content: Content, code: string): PageResult {
  const title = view.title.replace(":code", code.toUpperCase())
  return {
    title,
    section: "explore",
    scripts: ["copy.js", "explore.js"],
    main: html`${pageTitle(title, html`<span id="lead">${lead}</span>`)}
${exploreTabs(view.path)}
<p class="visually-hidden" id="announcement" role="status"></p>
<div class="stack explore">${content}</div>`,
  }
}

export const exploreTabs = (current: string): Content =>
  tabs(
    "Lists",
    mainViews.map(({ path, title }) => ({ path: `/explore${path}`, label: title })),
    `/explore${current}`,
  )

export const apiPathOf = ({ view, code }: Pick<AskedList, "view" | "code">): string =>
  view.apiPath === null ? `/explore${view.path}` : `/api/v1${pathWith(view.apiPath, code)}`

/** With a byte order mark, without which Excel does not read UTF-8. */
const csvAddress = ({ view, code, sent }: AskedList): string =>
  withQuery(`/explore${pathWith(view.path, code)}.csv`, [
    ...sent.filter(([name]) => name !== "page" && name !== "per_page"),
    ["bom", "true"],
  ])

const unfiltered = (list: AskedList) =>
  planList(list.view.endpoint, { path: apiPathOf(list), query: "", format: "json" }, list.code)

async function groupsOf(
  explorer: Explorer,
  { person }: Visit,
  view: ListView,
  plan: Parameters<typeof readBreakdown>[1]["plan"],
  release: number,
): Promise<Groups> {
  const fields = countedFields(view)
  if (fields.length === 0) return []
  return readBreakdown(explorer, { plan, fields, release, account: person.accountId })
}

function faultsOf({ options }: ApiError): readonly Fault[] {
  const parameters = options.details?.parameters
  return Array.isArray(parameters) ? (parameters as Fault[]) : []
}

/** For a record that is not in its list at this release: the list's first filter searches for it. */
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
