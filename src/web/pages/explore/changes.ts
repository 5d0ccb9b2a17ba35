/**
 * The changes between two releases: how many records of each list, and those of one list with their fields
 * before and after. The rows and counts are those of the API's `updated_since` and `removed_since`.
 */
import type { Pair } from "../../../api/http/query-string.ts"
import type { ListPage } from "../../../api/responses/answers.ts"
import type { Release } from "../../../data/reader/releases.ts"
import type { ResourceRecord } from "../../../data/resources/resource.ts"
import { tenements } from "../../../data/resources/tenements.ts"
import { pageTitle, statusBadge, type TableColumn, table } from "../kit/components.ts"
import { count, number, timeElement } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import {
  changesAsked,
  changeViews,
  namesIn,
  type Requested,
  requestedChanges,
} from "./changes-asked.ts"
import { countedKinds, kindChips, kindLabels } from "./kinds-of-change.ts"
import { textOf } from "./lists/cells.ts"
import { countedPanels } from "./lists/counted-values.ts"
import { filterForm } from "./lists/filter-form.ts"
import {
  addressWith,
  filtersOf,
  linksAt,
  type RequestedList,
  sentValue,
  withQuery,
} from "./lists/list-address.ts"
import { faultyParts, presetLinks } from "./lists/list-page.ts"
import type { ListView, RecordLinks, ShownField } from "./lists/list-view.ts"
import { titleOfView } from "./lists/list-view.ts"
import { belowTable, columnsOf } from "./lists/results.ts"
import { watchLink } from "./lists/watched.ts"
import { differences, labelsOf } from "./records/history.ts"
import type { Facets, Visit } from "./visit.ts"

/** @throws PageError 404 for the name of no list; as reads of lists do */
export async function changesPage(
  visit: Visit,
  name: string = tenements.name,
): Promise<PageResult> {
  const requested = requestedChanges(visit, name)
  try {
    return await shownChanges(visit, requested)
  } catch (error) {
    const { form, results } = await faultyParts(visit, requested.list, error)
    const main = html`${pageTitle("Changes")}<div class="stack list">${form}${results}</div>`
    return { title: "Changes", section: "/explore", status: 400, main }
  }
}

async function shownChanges(visit: Visit, requested: Requested): Promise<PageResult> {
  const { view, list: given } = requested
  const { values, since, first, chosen, fields } = await changesAsked(visit, requested)
  const read = await visit.changes(view, values, since, fields)
  const { release, from, changed, removed } = read
  const asOf: Pair = ["as_of", String(release.id)]
  const others = given.sent.filter(([name]) => !["since", "fields", "as_of"].includes(name))
  // Links keep both releases.
  const between: [Pair, Pair] = [["since", String(from.id)], asOf]
  const list: RequestedList = { ...given, sent: [...others, ...between] }
  const updated = { ...values, updated_since: String(from.id) }
  const keyOf = textOf(view.endpoint.resource.key)
  // Missing records are those of now: they belong beside the last changes only.
  const isLast = release.id === (await visit.newest()).id && from.id >= first
  const [missing, earlier, totals, ofChanged, ofRemoved, counts] = await Promise.all([
    isLast ? visit.missing(view, { ...values, page: 1, per_page: mostMissing }) : null,
    visit.versions(view, changed.records.map(keyOf), from),
    Promise.all([...changeViews.values()].map((each) => totalsOf(visit, each, between, release))),
    visit.facets(view, "", { ...updated, changed: fields }, release),
    visit.facets(view, "", { ...values, removed_since: String(from.id) }, release),
    visit.countedChanges(view, updated, release),
  ])
  counts.set("removed", removed.meta.total).set("missing", missing?.meta.total ?? 0)
  const kinds = await countedKinds(view, counts, (names) =>
    visit.total(view, { ...updated, changed: names }, release),
  )
  const isChosen = (name: string) => !chosen || chosen.includes(name)
  const csv = addressWith(list, { per_page: null }).replace("?", ".csv?")
  const before = new Map(changed.records.map((record, index) => [record, earlier[index]]))
  const part = (isRemoved: boolean, page: ListPage, facets: Facets, links: RecordLinks) => {
    const title = isRemoved ? "Removed" : "Added or changed"
    const columns = columnsOf(view.fields.filter(isShown), links, visit.dayOf(undefined, release))
    const change = {
      head: "Change",
      wide: true,
      cell: (record: ResourceRecord) => changeOf(view, before.get(record), record),
    }
    const empty = page.meta.total > 0 ? "None on this page." : `Nothing was ${title.toLowerCase()}.`
    const linkTo = (filter: string, value: string) => addressWith(list, { [filter]: value })
    const counted = countedPanels(isRemoved ? countable(view) : view, facets, linkTo, true)
    return html`<section class="stack"><h2>${title}: ${count(page.meta.total, ...view.noun)}</h2>
${table({ caption: title, columns: isRemoved ? columns : [...columns, change], rows: page.records, empty })}
${belowTable(list, page, `Pages: ${title}`)}
${page.meta.total > 0 && html`<div class="panel columns">${counted}</div>`}</section>`
  }
  const hasChanges = changed.meta.total + removed.meta.total > 0
  const presets = presetLinks(given, visit.dayOf(sentValue(given, "as_of"), release))
  const watched = withQuery(view.path, filtersOf({ ...given, view }))
  const watch = watchLink(watched, chosenOf(view, sentValue(given, "changed")))
  return {
    title: "Changes",
    section: "/explore",
    main: html`${pageTitle("Changes", html`Between ${releaseInWords(from)} and ${releaseInWords(release)}`, [presets, watch])}
<div class="stack list">${table({ caption: "Changes by list", columns: totalColumns, rows: totals, empty: "" })}
<p class="muted">Removed records have left the list since then. A company that becomes inactive leaves the list of active companies.</p>
${filterForm(list, ofChanged)}
<div class="toolbar">${kindChips(list, kinds, chosen)}${hasChanges && html`<a class="button" href="${csv}">CSV</a>`}</div>
${
  chosen &&
  sentValue(given, "changed") === undefined &&
  html`<p class="muted">Release ${number(release.id)} has an operator’s decisions on links.
Changes of linked companies are not chosen.</p>`
}
${(!chosen || fields) && part(false, changed, ofChanged, linksAt(asOf[1]))}
${isChosen("removed") && part(true, removed, ofRemoved, linksAt(String(from.id)))}
${isChosen("missing") && missing && missing.meta.total > 0 && missingPart(view, missing, visit.dayOf(undefined, release))}</div>`,
  }
}

/** The fields of the form of a watch that reports these changes. */
function chosenOf(view: ListView, changed: string | undefined): Record<string, string> {
  const names = changed?.split(",") ?? []
  const fields = names.filter((name) => name !== "removed" && name !== "missing")
  const withRemoved = fields.length === 0 ? "removals" : "both"
  const without = fields.length === 0 ? "both" : "changes"
  return {
    reports: names.includes("removed") ? withRemoved : without,
    ...Object.fromEntries(fields.map((name) => [`only ${kindLabels(view)(name)}`, "true"])),
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

/** With the filters of whose values it is known how many records left the list of each. */
const countable = (view: ListView): ListView => ({
  ...view,
  filters: view.filters.filter(({ name }) => {
    const values = view.endpoint.resource.filters[name]?.values
    return values && "each" in values
  }),
})

const isShown = ({ only, minor }: ShownField): boolean => only !== "record" && !minor

const releaseInWords = ({ id, publishedAt }: Release): Html =>
  html`release ${number(id)}${id > 0 && html` of ${timeElement(new Date(publishedAt * 1000).toISOString())}`}`

function changeOf(
  view: ListView,
  earlier: ResourceRecord | null | undefined,
  record: ResourceRecord,
): Content {
  const names = namesIn(record)
  if (!earlier || names.includes("added")) return statusBadge("added", "good")
  return names.length === 0
    ? "changed and changed back"
    : differences(names, labelsOf(view), earlier, record)
}

type Totals = Awaited<ReturnType<typeof totalsOf>>

const totalColumns: readonly TableColumn<Totals>[] = [
  { head: "List", cell: ({ title, href }) => html`<a href="${href}">${title}</a>` },
  { head: "Added or changed", number: true, cell: ({ changed }) => number(changed) },
  { head: "Removed", number: true, cell: ({ removed }) => number(removed) },
]

/** Of the whole list. */
async function totalsOf(visit: Visit, view: ListView, between: [Pair, Pair], release: Release) {
  const [[, since]] = between
  const [changed, removed] = await Promise.all([
    visit.total(view, { updated_since: since }, release),
    visit.total(view, { removed_since: since }, release),
  ])
  const href = withQuery(`/explore/changes/${view.endpoint.resource.name}`, between)
  return { title: titleOfView(view), href, changed, removed }
}
