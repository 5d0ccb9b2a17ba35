/** Companies that a person may mean with a holder's name in a search for tenements, or with a company's code. */
import { encodeQuery } from "../../../http/query-string.ts"
import type { ResourceRecord } from "../../../resources/resource.ts"
import { nearestName } from "../../../text/nearest-name.ts"
import { notice } from "../../kit/components.ts"
import { count } from "../../kit/format.ts"
import { type Content, html } from "../../kit/html.ts"
import type { ShownPage, Visit } from "../visit.ts"
import { textOf } from "./cells.ts"
import { addressWith, linksAt, type RequestedList, sentValue } from "./list-address.ts"
import { companiesView, largestFirst } from "./views.ts"

const mostNamed = 3
/** More than the number of companies on the exchange. */
const mostCompanies = 5_000
const codeOf = textOf("asx_code")

/**
 * Companies with more tenements than a list of holders with their name has: registers list most tenements
 * under the names of subsidiaries. For an unknown code, companies with the code in their names, or else the
 * one with the nearest code.
 */
export async function possibleCompanies(
  visit: Visit,
  list: RequestedList,
  { meta, release }: ShownPage,
): Promise<Content> {
  const company = sentValue(list, "company")
  const sought = company === undefined ? sentValue(list, "holder") : meta.total === 0 && company
  const isOfCompany = list.view.filters.every(({ name }) => name !== "company")
  if (!sought || isOfCompany || meta.page > 1 || release.id === 0) return null
  const found = encodeQuery([
    ["search", sought],
    ["per_page", String(mostNamed)],
    ["as_of", String(release.id)],
  ])
  const { records: named } = await visit.page(companiesView, "", `${largestFirst}&${found}`)
  const isKnown =
    company !== undefined && named.some((each) => codeOf(each) === company.toUpperCase())
  if (isKnown) return null
  const records =
    named.length > 0 || company === undefined
      ? named
      : nearestCompany(company, await visit.first(companiesView, largestFirst, mostCompanies))
  const links = linksAt(sentValue(list, "as_of"))
  const lines = records.flatMap((record) => {
    const [code, tenements] = [codeOf(record), Number(record.total_tenements)]
    const linkTo = (address: string) =>
      html`<a href="${address}">${textOf("company_name")(record)} (${code})</a>`
    if (company !== undefined) {
      return html`<p>Did you mean ${linkTo(addressWith(list, { company: code }))}?</p>`
    }
    if (tenements <= meta.total) return []
    return html`<p>${linkTo(links(list.view.path, [["company", code]]))} holds ${count(tenements, "tenement")}, in its own name or through subsidiaries.</p>`
  })
  return lines.length > 0 && notice("neutral", lines)
}

/** @param companies the first of several equally near codes is returned */
function nearestCompany(code: string, companies: readonly ResourceRecord[]): ResourceRecord[] {
  const nearest = nearestName(code, companies.map(codeOf))
  return companies.filter((company) => codeOf(company) === nearest)
}
