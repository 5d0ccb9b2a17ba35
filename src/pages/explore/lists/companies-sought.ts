/** Companies that a person may mean who looks for tenements by a holder, or for records by a company's name. */
import { encodeQuery } from "../../../http/query-string.ts"
import { notice } from "../../kit/components.ts"
import { count } from "../../kit/format.ts"
import { type Content, html } from "../../kit/html.ts"
import type { ShownPage, Visit } from "../visit.ts"
import { textOf } from "./cells.ts"
import { type AskedList, linksAt, sentValue } from "./list-address.ts"
import { companiesView } from "./views.ts"

const mostNamed = 3

/**
 * Those that hold more tenements than a list of holders with their name has: registers list them mostly
 * under the names of their subsidiaries. For a code that finds nothing, those whose names have it.
 */
export async function companiesSought(
  visit: Visit,
  list: AskedList,
  { meta, release }: ShownPage,
): Promise<Content> {
  const company = sentValue(list, "company")
  const sought = company === undefined ? sentValue(list, "holder") : meta.total === 0 && company
  const isOfCompany = list.view.filters.every(({ name }) => name !== "company")
  if (!sought || isOfCompany || meta.page > 1 || release.id === 0) return null
  const query = encodeQuery([
    ["search", sought],
    ["sort", "market_cap"],
    ["order", "desc"],
    ["per_page", String(mostNamed)],
    ["as_of", String(release.id)],
  ])
  const { records } = await visit.page(companiesView, "", query)
  const links = linksAt(sentValue(list, "as_of"))
  const named = records.flatMap((record) => {
    const tenements = Number(record.total_tenements)
    const code = textOf("asx_code")(record)
    const link = html`<a href="${links(list.view.path, [["company", code]])}">${textOf("company_name")(record)} (${code})</a>`
    if (list.view.path !== "/tenements") return html`<p>Did you mean ${link}?</p>`
    if (tenements <= meta.total) return []
    return html`<p>${link} holds ${count(tenements, "tenement")}, in its own name or through subsidiaries.</p>`
  })
  return named.length > 0 && notice("neutral", named)
}
