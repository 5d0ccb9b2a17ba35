/**
 * The changes between two releases: how many records of each list, and those of one list with their fields
 * before and after. The rows and counts are those of the API's `updated_since` and `removed_since`.
 */
import { Type } from "@sinclair/typebox"
import { type ParameterValues, readPairs } from "../../../api/http/parameters.ts"
import type { CanonicalQuery, Pair } from "../../../api/http/query-string.ts"
import type { ListPage } from "../../../api/responses/answers.ts"
import { changes, listEndpoint } from "../../../api/responses/endpoint.ts"
import type { Release } from "../../../data/reader/releases.ts"
import { countedByCompany } from "../../../data/resources/facets.ts"
import { namesInSet, type ResourceRecord } from "../../../data/resources/resource.ts"
import { tenements } from "../../../data/resources/tenements.ts"
import { pageTitle, statusBadge, type TableColumn, table } from "../kit/components.ts"
import { count, number, timeElement } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { notFound } from "../kit/page-error.ts"
import { textOf } from "./lists/cells.ts"
import { countedPanels } from "./lists/counted-values.ts"
import { filterForm } from "./lists/filter-form.ts"
import {
  addressWith,
  exportQuery,
  linksAt,
  pageParameters,
  type RequestedList,
  sentQuery,
  sentValue,
  withQuery,
} from "./lists/list-address.ts"
import { faultyParts } from "./lists/list-page.ts"
import type { FilterField, ListView, RecordLinks, ShownField } from "./lists/list-view.ts"
import { titleOfView } from "./lists/list-view.ts"
import { belowTable, columnsOf } from "./lists/results.ts"
import { mainViews } from "./lists/views.ts"
import { differences, labelsOf } from "./records/history.ts"
import type { Facets, Visit } from "./visit.ts"

/** The fields with the codes of companies, by the names of the lists whose changes are counted by company. */
const companyFields: Readonly<Record<string, string>> = {
  tenements: "asx_codes",
  reports: "asx_code",
}

/** The lists by name. */
const views = new Map<string, ListView>(
  mainViews
    .filter(({ endpoint }) => endpoint.resource.history)
    .map((view) => {
      const { path, resource } = view.endpoint
      const field = companyFields[resource.name]
      if (field === undefined) return [resource.name, view]
      const endpoint = listEndpoint({ path, resource: countedByCompany(resource, field) })
      return [resource.name, { ...view, endpoint }]
    }),
)

const period = { since: Type.Optional(changes.updated_since) }

const since: FilterField = {
  name: "since",
  label: "Changed since",
  words: (point) => `since ${point}`,
}

const addressOf = (name: string, query: CanonicalQuery) =>
  withQuery(`/explore/changes/${name}`, query)

/** @throws PageError 404 for the name of no list; as reads of lists do */
export async function changesPage(
  visit: Visit,
  name: string = tenements.name,
): Promise<PageResult> {
  const view = views.get(name)
  if (!view) throw notFound("list", name, "No list has this name.", null)
  const shown = {
    ...view,
    path: `/changes/${name}`,
    endpoint: { ...view.endpoint, parameters: { ...view.endpoint.parameters, ...period } },
    filters: [since, ...view.filters.filter((each) => each.name in view.endpoint.parameters)],
  }
  const list: RequestedList = {
    view: shown,
    code: "",
    sent: sentQuery(visit.query, pageParameters(shown)),
  }
  try {
    const values = readPairs(list.sent, pageParameters(shown))
    return await shownChanges(visit, list, view, values)
  } catch (error) {
    const { form, results } = await faultyParts(visit, list, error)
    const main = html`${pageTitle("Changes")}<div class="stack list">${form}${results}</div>`
    return { title: "Changes", section: "/explore", status: 400, main }
  }
}

async function shownChanges(
  visit: Visit,
  given: RequestedList,
  view: ListView,
  { since: _since, fields: _fields, ...values }: ParameterValues,
): Promise<PageResult> {
  const read = await visit.changes(view, values, sentValue(given, "since"))
  const { release, from, changed, removed } = read
  const asOf: Pair = ["as_of", String(release.id)]
  const others = given.sent.filter(([name]) => !["since", "fields", "as_of"].includes(name))
  // Links keep both releases.
  const between: readonly [Pair, Pair] = [["since", String(from.id)], asOf]
  const list: RequestedList = { ...given, sent: [...others, ...between] }
  const filters = others.filter(([name]) => view.filters.some((each) => each.name === name))
  const queryOf = (kind: Compared): CanonicalQuery => [...filters, [kind, String(from.id)], asOf]
  const countsOf = (kind: Compared) =>
    visit.facets(view, "", { ...values, [kind]: String(from.id) }, release)
  const keyOf = textOf(view.endpoint.resource.key)
  // Missing records are those of now: they belong beside the last changes only.
  const isLast = release.id === (await visit.newest()).id && from.id >= release.id - 1
  const [missing, earlier, totals, ofChanged, ofRemoved] = await Promise.all([
    isLast ? visit.missing(view, { ...values, page: 1, per_page: mostMissing }) : null,
    visit.versions(view, changed.records.map(keyOf), from),
    Promise.all([...views].map((each) => totalsOf(visit, each, between, release))),
    countsOf("updated_since"),
    countsOf("removed_since"),
  ])
  const before = new Map(changed.records.map((record, index) => [record, earlier[index]]))
  const part = (kind: Compared, page: ListPage, facets: Facets, links: RecordLinks) => {
    const isRemoved = kind === "removed_since"
    const title = isRemoved ? "Removed" : "Added or changed"
    const csv = withQuery(`/explore${view.path}.csv`, [
      ...exportQuery({ view, sent: queryOf(kind) }),
      ["bom", "true"],
    ])
    const columns = columnsOf(view.fields.filter(isShown), links, visit.dayOf(undefined, release))
    const change = {
      head: "Change",
      wide: true,
      cell: (record: ResourceRecord) => changeOf(view, before.get(record), record),
    }
    return html`<section class="stack"><div class="toolbar"><h2>${title}: ${count(page.meta.total, ...view.noun)}</h2>${page.meta.total > 0 && html`<a class="button" href="${csv}">CSV</a>`}</div>
${table({ caption: title, columns: isRemoved ? columns : [...columns, change], rows: page.records, empty: "None on this page." })}
${belowTable(list, page, `Pages: ${title}`)}
${page.meta.total > 0 && html`<div class="panel columns">${countedPanels(isRemoved ? countable(view) : view, facets, (filter, value) => addressWith(list, { [filter]: value }), true)}</div>`}</section>`
  }
  return {
    title: "Changes",
    section: "/explore",
    main: html`${pageTitle("Changes", leadOf(from, release))}
<div class="stack list">${table({ caption: "Changes by list", columns: totalColumns, rows: totals, empty: "" })}
<p class="muted">Removed records have left the list since then. A company that becomes inactive leaves the list of active companies.</p>
${filterForm(list, ofChanged)}
${part("updated_since", changed, ofChanged, linksAt(asOf[1]))}
${part("removed_since", removed, ofRemoved, linksAt(String(from.id)))}
${missing && missing.meta.total > 0 && missingPart(view, missing, visit.dayOf(undefined, release))}</div>`,
  }
}

const mostMissing = 40

function missingPart(
  view: ListView,
  missing: ListPage & { since: ReadonlyMap<string, string> },
  day: string,
): Html {
  const title = "Missing from the last files"
  const since = {
    head: "Missing since",
    number: true,
    cell: (record: ResourceRecord) => missing.since.get(textOf(view.endpoint.resource.key)(record)),
  }
  const more = missing.meta.total - missing.records.length
  const columns = [...columnsOf(view.fields.filter(isShown), linksAt(undefined), day), since]
  return html`<section class="stack" id="missing"><h2>${title}: ${count(missing.meta.total, ...view.noun)}</h2>
<p class="muted">They keep their values until further files confirm that they are gone.</p>
${table({ caption: title, columns, rows: missing.records, empty: "" })}
${more > 0 && html`<p class="muted">… and ${number(more)} more. Filters show others.</p>`}</section>`
}

type Compared = keyof typeof changes

/** With the filters of whose values it is known how many records left the list of each. */
const countable = (view: ListView): ListView => ({
  ...view,
  filters: view.filters.filter(({ name }) => {
    const values = view.endpoint.resource.filters[name]?.values
    return values && "each" in values
  }),
})

const isShown = ({ only, minor }: ShownField): boolean => only !== "record" && !minor

const leadOf = (from: Release, { id, publishedAt }: Release): Content =>
  html`Between release ${number(from.id)}${from.id > 0 && html` of ${published(from.publishedAt)}`} and release ${number(id)}${id > 0 && html` of ${published(publishedAt)}`}`

const published = (seconds: number) => timeElement(new Date(seconds * 1000).toISOString())

/** Added where the earlier release has no version. */
function changeOf(
  view: ListView,
  earlier: ResourceRecord | null | undefined,
  record: ResourceRecord,
): Content {
  if (!earlier) return statusBadge("added", "good")
  const names = namesInSet(view.endpoint.resource, "all").filter(
    (name) => name !== "since_release" && String(earlier[name]) !== String(record[name]),
  )
  return names.length === 0 ? "no shown field" : differences(names, labelsOf(view), earlier, record)
}

interface Totals {
  title: string
  href: string
  changed: number
  removed: number
}

const totalColumns: readonly TableColumn<Totals>[] = [
  { head: "List", cell: ({ title, href }) => html`<a href="${href}">${title}</a>` },
  { head: "Added or changed", number: true, cell: ({ changed }) => number(changed) },
  { head: "Removed", number: true, cell: ({ removed }) => number(removed) },
]

/** Of the whole list. */
async function totalsOf(
  visit: Visit,
  [name, view]: [string, ListView],
  between: readonly [since: Pair, asOf: Pair],
  release: Release,
): Promise<Totals> {
  const [[, since]] = between
  const totalOf = (kind: Compared) => visit.total(view, { [kind]: since }, release)
  const [changed, removed] = await Promise.all([totalOf("updated_since"), totalOf("removed_since")])
  return { title: titleOfView(view), href: addressOf(name, between), changed, removed }
}
