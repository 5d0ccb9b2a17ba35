/** The records of a list as a table, with links to its other pages and a sentence about the filters. */

import { paging, pathWith } from "../../../../api/responses/endpoint.ts"
import type { LeftOut } from "../../../../api/responses/notes.ts"
import type { RecordsPage } from "../../../../api/responses/writers.ts"
import type { Release } from "../../../../data/reader/releases.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { hidden, menu, notice, type Sorting, table } from "../../kit/components.ts"
import { count, number, timeElement } from "../../kit/format.ts"
import { attributes, type Content, type Html, html } from "../../kit/html.ts"
import type { Facets, ShownPage } from "../visit.ts"
import { cellOf } from "./cells.ts"
import { unknownValues } from "./counted-values.ts"
import { addressWith, filtersSet, linksOf, type RequestedList, sentValue } from "./list-address.ts"
import { type RecordLinks, type ShownField, titleOfView } from "./list-view.ts"

/** @param unfiltered the values of the list without filters, if it shows no record */
export function resultsTable(
  list: RequestedList,
  page: ShownPage,
  unfiltered: Facets,
  day: string,
): Html {
  const links = linksOf(list)
  return html`${table({
    caption: titleOfView(list.view, list.code),
    columns: columnsOf(columnsShown(list), links, day).map((column) =>
      column.sort ? { ...column, sorting: sortingBy(column, list) } : column,
    ),
    rows: page.records,
    empty: emptyWords(list, page, unfiltered),
  })}
${belowTable(list, page)}`
}

/** The columns: those that the person chose, or the usual ones. The first one links to the record. */
const columnsShown = (list: RequestedList): ShownField[] => {
  const chosen = sentValue(list, "fields")?.split(",")
  return list.view.fields.filter(
    ({ field = "", only }, index) =>
      index === 0 || (chosen ? chosen.includes(field) : only !== "record"),
  )
}

/** The columns of a table whose records have links. */
export const columnsOf = (fields: readonly ShownField[], links: RecordLinks, day: string) =>
  fields.map((field) => ({
    ...field,
    cell: (record: ResourceRecord) => cellOf(field)(record, links, day),
  }))

/** Sorts by the column, or reverses the order if the list is already sorted by it. */
function sortingBy(
  { sort: by = "", number }: Pick<ShownField, "sort" | "number">,
  list: RequestedList,
): Sorting {
  const { sort, order } = list.view.endpoint.parameters
  const isCurrent = (sentValue(list, "sort") ?? sort?.default) === by
  const isAscending = (sentValue(list, "order") ?? order?.default) === "asc"
  const next = (isCurrent ? isAscending : number) ? "desc" : "asc"
  const href = addressWith(list, {
    sort: by === sort?.default ? null : by,
    order: next === order?.default ? null : next,
  })
  return isCurrent ? { href, current: isAscending ? "ascending" : "descending" } : { href }
}

/** @param name the label of its links, which a page with several tables needs */
export function belowTable(
  list: RequestedList,
  { records, meta }: RecordsPage,
  name = "Pages",
): Html | null {
  const { page, per_page, total, total_pages } = meta
  if (total === 0) return null
  const first = (page - 1) * per_page + 1
  const rows =
    records.length === 0
      ? `No rows of ${number(total)}`
      : `Rows ${number(first)}–${number(first + records.length - 1)} of ${number(total)}`
  const to = (target: number) => addressWith(list, { page: target === 1 ? null : String(target) })
  return html`<div class="toolbar muted"><p class="numbers">${rows}</p>${pageSizes(list, per_page)}<nav aria-label="${name}">
${step("Previous", "prev", page > 1 ? to(Math.min(page - 1, total_pages)) : null)}
${step("Next", "next", page < total_pages ? to(page + 1) : null)}
</nav></div>`
}

const offered = [25, 50, 100]

/** The number of rows of a page. */
function pageSizes(list: RequestedList, current: number): Html {
  const byDefault = paging.per_page.default
  const sizes = [...new Set([...offered, current])].sort((one, other) => one - other)
  return html`<ul class="page-sizes" aria-label="Rows on a page">${sizes.map((size) => {
    const href = addressWith(list, { per_page: size === byDefault ? null : String(size) })
    return html`<li><a ${attributes({ href, "aria-current": size === current && "true" })}>${number(size)}<span class="visually-hidden"> rows</span></a></li>`
  })}</ul>`
}

/** A missing link keeps its place, so that the other link does not move. */
const step = (label: string, rel: string, href: string | null): Html =>
  href === null
    ? html`<span class="button unavailable" aria-hidden="true">${label}</span>`
    : html`<a class="button" rel="${rel}" href="${href}">${label}</a>`

/**
 * `2,524 tenements in Western Australia held by names containing “gold”, at release 214`. Each filter is a link
 * that clears it.
 */
export function sentenceOf(list: RequestedList, { meta, release }: ShownPage): Html {
  const { view, code } = list
  const { counts } = view.endpoint
  const what = html`${count(meta.total, ...view.noun)}${counts && ` of ${counts.name}`}`
  return html`${what}${code && ` of ${code.toUpperCase()}`}${filterChips(list)}, at release ${number(release.id)}`
}

/** The search text comes last: it may be long. */
export const filterChips = (list: RequestedList): Html[] =>
  filtersSet(list)
    .toSorted((one, other) => Number(one.wide ?? 0) - Number(other.wide ?? 0))
    .map(
      ({ name, words }) =>
        html` <a class="chip" href="${addressWith(list, { [name]: null })}" title="Remove this filter">${words}<span aria-hidden="true"> ×</span></a>`,
    )

/** Marks a past state, and links to the present. */
export function pastNotice({ id, publishedAt }: Release, asOf: string, present: string) {
  const release = id
    ? html`release ${number(id)}, published ${timeElement(new Date(publishedAt * 1000).toISOString())}`
    : "before the first release"
  return notice(
    "waiting",
    html`<p>You see the data as of ${asOf}: ${release}. <a href="${present}">Show the present</a></p>`,
  )
}

/** Later pages stay on the release of page 1, so that no record is missed or shown twice. */
export function newerNotice(
  list: RequestedList,
  { release }: ShownPage,
  newest: Pick<Release, "id"> | null,
): Content {
  if (newest === null || newest.id <= release.id || sentValue(list, "as_of") !== undefined) {
    return null
  }
  return notice(
    "waiting",
    html`<p>Release ${number(newest.id)} was published since you opened page 1. This list stays at release
${number(release.id)} until you begin again. <a href="${addressWith(list, {})}">Begin again at page 1</a></p>`,
  )
}

/** Of tenements, also on the map and for a list of their holders. */
export const notShownWords = ({ field, count: missing }: LeftOut): string =>
  `${count(missing, "tenement")} ${missing === 1 ? `has no ${field} and is` : `have no ${field} and are`} not shown.`

/** Replaces an empty table: the reason, and links to records. */
function emptyWords(
  list: RequestedList,
  { meta, release }: ShownPage,
  unfiltered: Facets,
): Content {
  const [singular, plural] = list.view.noun
  if (meta.total > 0) {
    const last = String(meta.total_pages)
    return html`There is no page ${number(meta.page)}: the list ends at page ${number(meta.total_pages)}.
<a href="${addressWith(list, { page: last })}">Go to the last page</a>`
  }
  const filters = filtersSet(list)
  if (filters.length === 0) return `There are no ${plural} at release ${number(release.id)}.`
  const misspelled = unknownValues(list, unfiltered).map(({ words, suggestions }) => {
    const links = suggestions.map(
      ({ label, changes }, index) =>
        html`${index > 0 && " or "}<a href="${addressWith(list, changes)}">${label}</a>`,
    )
    return html`There is no ${singular} ${words}. Did you mean ${links}? `
  })
  const cleared = Object.fromEntries(filters.map(({ name }) => [name, null]))
  return html`${misspelled.length > 0 ? misspelled : `No ${singular} matches. `}Remove a filter, or
<a href="${addressWith(list, cleared)}">show all ${plural}</a>.`
}

/** The columns that the API has as fields. The first one stays: it links to the record. */
export function columnsMenu(list: RequestedList): Html | null {
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
