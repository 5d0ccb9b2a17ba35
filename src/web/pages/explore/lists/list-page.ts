/** A list as a page: its filters, its records, and the ways to its files. */
import { ApiError, faultsOf } from "../../../../api/http/api-error.ts"
import { type ParameterValues, readPairs } from "../../../../api/http/parameters.ts"
import type { CanonicalQuery } from "../../../../api/http/query-string.ts"
import { apiPath, pathWith } from "../../../../api/responses/endpoint.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { tenements } from "../../../../data/resources/tenements.ts"
import { asxCodeFromText } from "../../../../data/resources/values.ts"
import { menu, notice, pageTitle, tabs, trail } from "../../kit/components.ts"
import { attributes, type Content, type Html, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { notFound, type PageError } from "../../kit/page-error.ts"
import { exportMenu } from "../export/export-menu.ts"
import type { ShownPage, Visit } from "../visit.ts"
import { companyNameField, textOf } from "./cells.ts"
import { countedPanels } from "./counted-values.ts"
import { filterForm } from "./filter-form.ts"
import {
  addressWith,
  exportQuery,
  filtersOf,
  linksAt,
  pageParameters,
  type RequestedList,
  sentQuery,
  sentValue,
  withQuery,
} from "./list-address.ts"
import { csvFile, fileAddress } from "./list-file.ts"
import { type ListView, recordPathOf, titleOfView } from "./list-view.ts"
import { mapLink, mapPath } from "./map-view.ts"
import { circleForms } from "./places.ts"
import { nearestNotice, possibleCompanies, unknownCompany } from "./possible-companies.ts"
import {
  columnsMenu,
  newerNotice,
  notShownWords,
  pastNotice,
  resultsTable,
  sentenceOf,
} from "./results.ts"
import { tenementsView } from "./tenement-views.ts"
import { companiesView, holdersView, mainViews } from "./views.ts"
import { watchLink } from "./watched.ts"

export async function listPage(visit: Visit, view: ListView, code = ""): Promise<PageResult> {
  const list: RequestedList = { view, code, sent: sentQuery(visit.query, pageParameters(view)) }
  try {
    const values = readPairs(exportQuery(list), pageParameters(view))
    return await shownList(visit, list, values, await visit.page(view, code, values))
  } catch (error) {
    if (error instanceof ApiError && error.code === "NOT_FOUND") {
      throw recordNotFound(companiesView, code)
    }
    const { form, results } = await faultyParts(visit, list, error)
    return { ...framed(list, form, results), status: 400 }
  }
}

/** Adds the names of the companies that tenements have by their codes, and today the companies of holders. */
async function withCompanies(visit: Visit, list: RequestedList, page: ShownPage) {
  const isOfHolders = list.view === holdersView && sentValue(list, "as_of") === undefined
  const records = isOfHolders ? await visit.withCompanies(page.records) : page.records
  const codes = [...new Set(records.flatMap(({ asx_codes }) => asx_codes ?? []))].map(String)
  const companies = await visit.versions(companiesView, codes, page.release)
  const names = Object.fromEntries(
    companies.flatMap((found) =>
      found ? [[companyNameField(textOf("asx_code")(found)), textOf("company_name")(found)]] : [],
    ),
  )
  return { ...page, records: records.map((record) => ({ ...record, ...names })) }
}

async function shownList(
  visit: Visit,
  list: RequestedList,
  values: ParameterValues,
  page: ShownPage,
): Promise<PageResult> {
  const { view, code } = list
  const number = view.endpoint.resource === tenements ? sentValue(list, "search") : undefined
  const isMap = view.path === mapPath
  const isMissed = page.meta.total === 0 && sentValue(list, "as_of") === undefined
  const ofCompany = code === "" ? [] : [asxCodeFromText(code)]
  const [named, [company], facets, unfiltered, newest, companies, unknown, nearest, leftOut, area] =
    await Promise.all([
      withCompanies(visit, list, page),
      visit.versions(companiesView, ofCompany, page.release),
      visit.facets(view, code, values, page.release),
      page.meta.total > 0 ? {} : visit.facets(view, code, {}, page.release),
      page.meta.page > 1 ? visit.newest() : null,
      possibleCompanies(visit, list, page),
      unknownCompany(visit, list, page),
      number !== undefined && isMissed && nearestNotice(visit, number, sentValue(list, "state")),
      visit.leftOut(view, code, isMap ? { bbox: "", ...values } : values, page.release),
      isMap ? visit.areaAround(page) : null,
    ])
  const asOf = sentValue(list, "as_of")
  const day = visit.dayOf(asOf, page.release)
  const api = view.isOfExplorerOnly
    ? null
    : {
        baseUrl: visit.publicUrl,
        path: apiPath(view.endpoint, view.key ?? code),
        query: page.question.canonical,
        resource: page.question.resource,
      }
  const linkTo = (filter: string, value: string) => addressWith(list, { [filter]: value })
  const shapes = isMap ? fileAddress(list, page, "geojson") : undefined
  const presets = presetLinks(list, day)
  const results = html`${asOf !== undefined && pastNotice(page.release, asOf, addressWith(list, { as_of: null }))}
${newerNotice(list, page, newest)}
${
  // The map draws the empty list.
  (unknown && html`${unknown}${isMap && mapLink(list, page, area)}`) ||
  html`${companies}${nearest}
<div class="toolbar"><p id="lead">${sentenceOf(list, page)}</p>${presets && menu("Often needed", presets)}${relatedLinks(list)}${mapLink(list, page, area)}
${watchedLink(list)}${exportMenu(api, csvFile(list, page), shapes)}${columnsMenu(list)}</div>
${leftOut.map((each) => html`<p class="muted">${notShownWords(each)}</p>`)}
${resultsTable(list, named, unfiltered, day)}
${page.meta.total > 0 && html`<div class="panel columns">${countedPanels(view, facets, linkTo)}</div>`}`
}`
  return framed(list, filterForm(list, facets), results, company)
}

/** The holders of listed tenements, and the changes of the list, with its filters. */
function relatedLinks(list: RequestedList): Html {
  const { view, code } = list
  const { resource } = view.endpoint
  const filters = filtersOf(list)
  const isByCompany = code !== "" && "company" in resource.filters
  const query: CanonicalQuery = isByCompany ? [...filters, ["company", code]] : filters
  const holders = linksAt(sentValue(list, "as_of"))(holdersView.path, query)
  const changes = withQuery(`/explore/changes/${resource.name}`, query)
  return html`${resource === tenements && html`<a class="button" href="${holders}">By holder</a>`}
${resource.history && html`<a class="button" href="${changes}">Changes</a>`}`
}

/** Of the list; of holders, their tenements. */
function watchedLink(list: RequestedList): Content {
  const { view, code } = list
  const { path } = view.path === holdersView.path ? tenementsView : view.endpoint
  return !view.isOfExplorerOnly && watchLink(withQuery(pathWith(path, code), filtersOf(list)))
}

/** Frequent queries, combined with the current filters; the current query is marked. */
export function presetLinks(list: RequestedList, day: string): Content {
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

/**
 * Each fault is beside its field; a summary replaces the records.
 * @throws the error, unless it is ApiError INVALID_PARAMETER
 */
export async function faultyParts(visit: Visit, list: RequestedList, error: unknown) {
  if (!(error instanceof ApiError) || error.code !== "INVALID_PARAMETER") throw error
  const near = sentValue(list, "near") ?? ""
  // Identifiers have digits, names of towns have none.
  const isUnknownPlace = /[a-z]/i.test(near) && !/^\S*\d\S*,[\d.]+$/.test(near)
  const { view, code } = list
  const labelOf = (name: string) => view.filters.find((each) => each.name === name)?.label ?? name
  const faults = faultsOf(error).map((fault) => {
    const { parameter } = fault
    const [, to] = /^Must not be after (\w+)$/.exec(fault.message) ?? []
    const ofDates = to && `“${labelOf(parameter)}” must be before “${labelOf(to)}”`
    const ofPlace = isUnknownPlace && parameter === "near" && circleForms
    return { ...fault, message: ofDates || ofPlace || fault.message }
  })
  const facets = await visit.facets(view, code, {}, await visit.newest())
  const isOfPage = faults.every(({ parameter }) => parameter === "page")
  const again = isOfPage
    ? html`<a href="${addressWith(list, {})}">begin again at page 1</a>`
    : html`<a href="/explore${pathWith(view.path, code)}">clear all filters</a>`
  const results = notice(
    "bad",
    html`<p id="lead"><b>Invalid filter.</b> Correct the marked filter, or ${again}.</p>
<ul>${faults.map(({ parameter, message }) => html`<li><code>${parameter}</code>: ${message}</li>`)}</ul>`,
    true,
  )
  return { form: filterForm(list, facets, faults), results }
}

/** @param company that of the list, if it is known */
const framed = (
  { view, code }: RequestedList,
  form: Content,
  results: Content,
  company?: ResourceRecord | null,
): PageResult => {
  const ofCompany = {
    path: `/explore${recordPathOf(companiesView, code)}`,
    title: company ? companiesView.record.title(company) : code.toUpperCase(),
  }
  return {
    title: titleOfView(view, code),
    section: "/explore",
    scripts: ["copy.js", "explore.js"],
    ...view.page,
    main: html`${code !== "" && trail([linkToList(companiesView), ofCompany], titleOfView(view))}
${pageTitle(titleOfView(view, code), null, code === "" && exploreTabs(view))}
<p class="visually-hidden" id="announcement" role="status"></p>
<div class="stack list">${form}${view.above}
<div id="results" class="stack">${results}</div></div>`,
  }
}

export const linkToList = (view: ListView) => ({
  path: `/explore${view.path}`,
  title: titleOfView(view),
})

const exploreTabs = (current: ListView): Content =>
  tabs("Lists", mainViews.map(linkToList), linkToList(current).path)

/** For a record that is not in its list at this release. */
export function recordNotFound(view: ListView, key: string): PageError {
  const [singular, plural] = view.noun
  return notFound(
    singular,
    key,
    `No ${singular} has this identifier at this release. Check the spelling. To see a removed one, open the list, and set “As of” to an earlier day.`,
    html`<p><a class="button" href="${linkToList(view).path}">All ${plural}</a></p>`,
  )
}
