/** A list as a page: its filters, its records, and its exports. */

import { ApiError, faultsOf } from "../../../../api/http/api-error.ts"
import type { Format } from "../../../../api/http/formats.ts"
import { type ParameterValues, readPairs } from "../../../../api/http/parameters.ts"
import type { CanonicalQuery, Pair } from "../../../../api/http/query-string.ts"
import { checkCombinations } from "../../../../api/responses/ask.ts"
import { apiPath, changes, pathWith } from "../../../../api/responses/endpoint.ts"
import { shownNames } from "../../../../api/responses/question.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { tenements } from "../../../../data/resources/tenements.ts"
import { asxCodeFromText } from "../../../../data/resources/values.ts"
import { fold } from "../../../../system/text/fold.ts"
import { hidden, menu, notice, pageTitle, tabs, trail } from "../../kit/components.ts"
import { attributes, type Content, type Html, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { notFound, type PageError } from "../../kit/page-error.ts"
import { exportMenu, watchLink } from "../elsewhere/panel.ts"
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
import { type ListView, recordPathOf, titleOfView } from "./list-view.ts"
import { mapLink, mapPath } from "./map-view.ts"
import { circleForms } from "./places.ts"
import { nearestNotice, possibleCompanies } from "./possible-companies.ts"
import {
  columnsShown,
  newerNotice,
  notShownWords,
  pastNotice,
  resultsTable,
  sentenceOf,
} from "./results.ts"
import { tenementsView } from "./tenement-views.ts"
import { companiesView, holdersView, mainViews } from "./views.ts"

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

/** Every record of a list, from the API's own exporter, without a token. */
export async function wholeFile(visit: Visit, view: ListView, format: Format, code = "") {
  const { parameters, formats } = view.endpoint
  const sent = sentQuery(visit.query, parameters)
  const query: CanonicalQuery = [...sent, ["format", format], ["all", "true"]]
  const values = readPairs(query, parameters, [], checkCombinations(formats, []))
  // Without the API's default, so that only a zone of the address takes the place of Sydney.
  const { timezone: _, ...others } = values
  const isZoned = query.some(([name]) => name === "timezone")
  const response = await visit.export(view, code, isZoned ? values : others)
  // These headers serve programs of other sites, or describe how the API's responses vary.
  response.headers.delete("Access-Control-Allow-Origin")
  response.headers.delete("Access-Control-Expose-Headers")
  response.headers.set("Vary", "Cookie, Accept-Encoding")
  const fileName = `${nameOfFile({ view, code, sent: query })}.${format}`
  response.headers.set("Content-Disposition", `attachment; filename="${fileName}"`)
  // The map requests the same release, by its number, whenever a person opens it.
  const cached = format === "csv" ? "no-store" : "max-age=3600"
  response.headers.set("Cache-Control", `private, ${cached}`)
  return response
}

/** Of the list, its company and its filters: `tenements-big-state-wa`. */
function nameOfFile({ view, code, sent }: RequestedList): string {
  const isChosen = ([name]: Pair) => name in changes || view.endpoint.filters.includes(name)
  return fold([view.noun[1], code, ...sent.filter(isChosen)].join(" "))
    .replace(/[^a-z0-9]+/g, " ")
    .trim()
    .slice(0, longestName)
    .replaceAll(" ", "-")
}

/** File systems allow 255 bytes. */
const longestName = 150

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
  const [named, [company], facets, unfiltered, newest, companies, nearest, leftOut, area] =
    await Promise.all([
      withCompanies(visit, list, page),
      visit.versions(companiesView, ofCompany, page.release),
      visit.facets(view, code, values, page.release),
      page.meta.total > 0 ? {} : visit.facets(view, code, {}, page.release),
      page.meta.page > 1 ? visit.newest() : null,
      possibleCompanies(visit, list, page),
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
  // With a byte order mark, without which Excel does not read UTF-8.
  const href = `${fileAddress(list, page, "csv")}&bom=true`
  const file = { href, rows: page.meta.total, bytes: csvBytes(page), hasTimes: hasTimes(page) }
  const shapes = isMap ? fileAddress(list, page, "geojson") : undefined
  const presets = presetLinks(list, day)
  const results = html`${asOf !== undefined && pastNotice(page.release, asOf, addressWith(list, { as_of: null }))}
${newerNotice(list, page, newest)}
${companies}${nearest}
<div class="toolbar"><p id="lead">${sentenceOf(list, page)}</p>${presets && menu("Often needed", presets)}${relatedLinks(list)}${mapLink(list, page, area)}
${watchedLink(list)}${exportMenu(api, file, shapes)}${columnsMenu(list)}</div>
${leftOut.map((each) => html`<p class="muted">${notShownWords(each)}</p>`)}
${resultsTable(list, named, unfiltered, day)}
${page.meta.total > 0 && html`<div class="panel columns">${countedPanels(view, facets, linkTo)}</div>`}`
  return framed(list, filterForm(list, facets), results, company)
}

/** The size of the list as CSV, by that of the shown rows. */
function csvBytes({ records, meta, question }: ShownPage): number {
  const names = shownNames(question)
  const rows = records.map((record) => `${names.map((name) => record[name] ?? "").join()}\r\n`)
  return (Buffer.byteLength(rows.join("")) / Math.max(1, rows.length)) * meta.total
}

const hasTimes = ({ question }: ShownPage): boolean =>
  shownNames(question).some((name) => question.resource.fields[name]?.schema.format === "date-time")

/** The columns that the API has as fields. The first one stays: it links to the record. */
function columnsMenu(list: RequestedList): Html | null {
  const { view, code, sent } = list
  if (!("fields" in view.endpoint.parameters)) return null
  const [first, ...others] = view.fields
  const shown = columnsShown(list)
  const boxes = others.flatMap((column) => {
    const { field: value, head } = column
    if (value === undefined) return []
    const id = `column-${value}`
    const named = { type: "checkbox", id, name: "fields", value, checked: shown.includes(column) }
    return html`<div class="check"><input ${attributes(named)}><label for="${id}">${head}</label></div>`
  })
  return menu(
    "Columns",
    html`<form method="get" action="/explore${pathWith(view.path, code)}">
${sent.map(([name, value]) => name !== "page" && name !== "fields" && hidden(name, value))}
${hidden("fields", first?.field ?? "")}
${boxes}
<div class="row"><button>Apply</button><a class="button" href="${addressWith(list, { fields: null })}">Reset</a></div></form>`,
  )
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
): PageResult => ({
  title: titleOfView(view, code),
  section: "/explore",
  scripts: ["copy.js", "explore.js"],
  ...view.page,
  main: html`${code !== "" && trail([linkToList(companiesView), { path: `/explore${recordPathOf(companiesView, code)}`, title: company ? companiesView.record.title(company) : code.toUpperCase() }], titleOfView(view))}
${pageTitle(titleOfView(view, code), null, code === "" && exploreTabs(view))}
<p class="visually-hidden" id="announcement" role="status"></p>
<div class="stack list">${form}${view.above}
<div id="results" class="stack">${results}</div></div>`,
})

/** A list as a link. */
export const linkToList = (view: ListView) => ({
  path: `/explore${view.path}`,
  title: titleOfView(view),
})

const exploreTabs = (current: ListView): Content =>
  tabs("Lists", mainViews.map(linkToList), linkToList(current).path)

/** Every record, at the release of the page. */
const fileAddress = (list: RequestedList, { release }: ShownPage, extension: string): string =>
  withQuery(`/explore${pathWith(list.view.path, list.code)}.${extension}`, [
    ...exportQuery(list).filter(([name]) => !["page", "per_page", "as_of"].includes(name)),
    ["as_of", String(release.id)],
  ])

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
