/** The records of a list as a table, with the way to its other pages. */
import { paging } from "../../../answers/list-endpoint.ts"
import type { ResourceRecord } from "../../../resources/resource.ts"
import { type Column, table } from "../../kit/components.ts"
import { number } from "../../kit/format.ts"
import { attributes, type Html, html } from "../../kit/html.ts"
import type { Groups, ShownPage } from "../visit.ts"
import { type AskedList, addressWith, linksAt, sentValue } from "./list-address.ts"
import type { RecordLinks, ShownField } from "./list-view.ts"
import { emptyWords, sentenceOf } from "./words.ts"

/** @param groups of the whole list, without filters */
export function resultsTable(list: AskedList, page: ShownPage, groups: Groups): Html {
  const links = linksAt(sentValue(list, "as_of"))
  return html`${table({
    caption: sentenceOf(list, page),
    columns: columnsOf(list.view.fields, links).map(({ sort, ...column }) =>
      sort ? { ...column, ...sortable(column, sort, list) } : column,
    ),
    rows: page.records,
    empty: emptyWords(list, page, groups),
  })}
${belowTable(list, page)}`
}

/** The columns of a table whose records have links. */
export const columnsOf = (fields: readonly ShownField[], links: RecordLinks) =>
  fields
    .filter(({ isFactOnly }) => !isFactOnly)
    .map(({ cell, ...column }) => ({
      ...column,
      cell: (record: ResourceRecord) => cell(record, links),
    }))

/** The head as a link that sorts by the column, or in the other direction where it does already. */
function sortable(
  column: Pick<ShownField, "head" | "number">,
  by: string,
  list: AskedList,
): Pick<Column<ResourceRecord>, "head" | "attributes"> {
  const { sort, order } = list.view.endpoint.parameters
  const sorted = (sentValue(list, "sort") ?? sort?.default) === by
  const isAscending = (sentValue(list, "order") ?? order?.default) === "asc"
  const next = (sorted ? isAscending : column.number) ? "desc" : "asc"
  const href = addressWith(list, {
    sort: by === sort?.default ? null : by,
    order: next === order?.default ? null : next,
  })
  const mark = sorted && html`<span aria-hidden="true"> ${isAscending ? "▲" : "▼"}</span>`
  return {
    head: html`<a href="${href}">${column.head}</a>${mark}`,
    attributes: sorted ? { "aria-sort": isAscending ? "ascending" : "descending" } : {},
  }
}

function belowTable(list: AskedList, { records, meta }: ShownPage): Html | null {
  const { page, per_page, total, total_pages } = meta
  if (total === 0) return null
  const first = (page - 1) * per_page + 1
  const rows =
    records.length === 0
      ? `No rows of ${number(total)}`
      : `Rows ${number(first)}–${number(first + records.length - 1)} of ${number(total)}`
  const to = (target: number) => addressWith(list, { page: target === 1 ? null : String(target) })
  return html`<div class="below-table"><p class="numbers">${rows}</p>${pageSizes(list, per_page)}<nav aria-label="Pages">
${step("Previous", "prev", page > 1 ? to(Math.min(page - 1, total_pages)) : null)}
${step("Next", "next", page < total_pages ? to(page + 1) : null)}
</nav></div>`
}

const offered = [25, 50, 100]

/** How many rows a page has. */
function pageSizes(list: AskedList, current: number): Html {
  const byDefault = paging.per_page.default
  const sizes = [...new Set([...offered, current])].sort((one, other) => one - other)
  return html`<ul class="page-sizes" aria-label="Rows on a page">${sizes.map((size) => {
    const href = addressWith(list, { per_page: size === byDefault ? null : String(size) })
    return html`<li><a ${attributes({ href, "aria-current": size === current && "true" })}>${number(size)}<span class="visually-hidden"> rows</span></a></li>`
  })}</ul>`
}

/** Where there is no such page, it keeps its place, so that the other does not move. */
const step = (label: string, rel: string, href: string | null): Html =>
  href === null
    ? html`<span class="button unavailable" aria-hidden="true">${label}</span>`
    : html`<a class="button" rel="${rel}" href="${href}">${label}</a>`
