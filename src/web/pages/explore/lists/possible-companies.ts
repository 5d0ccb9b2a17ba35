/**
 * Companies that a person may mean: with a former name, a holder's name in a search for tenements, or a code;
 * and tenements, with a number.
 */

import { probableSubsidiariesWords } from "../../../../api/responses/notes.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { asxCodeFromText } from "../../../../data/resources/values.ts"
import { nearestName } from "../../../../system/text/nearest-name.ts"
import { notice } from "../../kit/components.ts"
import { count, isolated } from "../../kit/format.ts"
import { type Content, type Html, html } from "../../kit/html.ts"
import type { ShownPage, Visit } from "../visit.ts"
import { textOf, toCompany } from "./cells.ts"
import { addressWith, filtersSet, linksAt, type RequestedList, sentValue } from "./list-address.ts"
import { firstRows, recordPathOf } from "./list-view.ts"
import { tenementsView } from "./tenement-views.ts"
import { companiesView, largestFirst } from "./views.ts"

const mostNamed = 3
/** More than the number of companies on the exchange. */
const mostCompanies = 5_000
const codeOf = textOf("asx_code")
const nameOf = textOf("company_name")

/**
 * For a company without other filters, its probable subsidiaries; for a holder, companies of that name; for a code
 * without records, companies that it may mean; for a name without companies, those that had it.
 */
export async function possibleCompanies(
  visit: Visit,
  list: RequestedList,
  { meta, release }: ShownPage,
): Promise<Content> {
  const code = sentValue(list, "company")
  const words = await holdersWords(visit, list, code ?? list.code, meta.page)
  if (words !== null) return notice("neutral", html`<p>${words}</p>`)
  if (list.view === companiesView && meta.total === 0) return companiesOfFormerName(visit, list)
  const sought = code ?? (list.view === tenementsView ? sentValue(list, "holder") : undefined)
  if (!sought || meta.page > 1 || release.id === 0) return null
  if (code !== undefined && meta.total > 0) return null
  const values = { search: sought, ...largestFirst, ...firstRows(release, mostNamed) }
  const { records } = await visit.page(companiesView, "", values)
  const lines =
    code === undefined
      ? holdersOfMore(list, records, meta.total)
      : await unknownCodeLines(visit, list, code, { records, release })
  return lines.length > 0 && notice("neutral", lines)
}

/** Suggests companies by former names, because the list's search knows only the names of its release. */
async function companiesOfFormerName(visit: Visit, list: RequestedList): Promise<Content> {
  const companies = await visit.companiesFormerly(sentValue(list, "search") ?? "")
  const lines = companies.map((company) => {
    const link = toCompany(codeOf(company), linksAt(undefined), nameOf(company))
    return html`<p>${link}: ${textOf("formerly")(company)}.</p>`
  })
  return lines.length > 0 && notice("neutral", lines)
}

/** Suggestions are as of now. */
async function holdersWords(
  visit: Visit,
  list: RequestedList,
  sentCode: string,
  page: number,
): Promise<string | null> {
  const isOfTenements = list.view.endpoint.resource.name === "tenements"
  if (!isOfTenements || !sentCode || page > 1 || sentValue(list, "as_of") !== undefined) return null
  if (filtersSet(list).some(({ name }) => name !== "company")) return null
  const code = asxCodeFromText(sentCode)
  return probableSubsidiariesWords(code, await visit.suggestedHolders(code))
}

const linkTo = (record: ResourceRecord, address: string) =>
  html`<a href="${address}">${nameOf(record)} (${codeOf(record)})</a>`

/** Registers list most tenements of a company under the names of its subsidiaries. */
function holdersOfMore(list: RequestedList, named: readonly ResourceRecord[], listed: number) {
  const links = linksAt(sentValue(list, "as_of"))
  return named.flatMap((record) => {
    const tenements = Number(record.total_tenements)
    if (tenements <= listed) return []
    const address = links(list.view.path, [["company", codeOf(record)]])
    return html`<p>${linkTo(record, address)} holds ${count(tenements, "tenement")}, in its own name or through subsidiaries.</p>`
  })
}

/** None for a known code. Suggests the companies of that name or, without any, the first of those with the nearest code. */
async function unknownCodeLines(
  visit: Visit,
  list: RequestedList,
  code: string,
  { records, release }: Pick<ShownPage, "records" | "release">,
): Promise<Html[]> {
  const [known] = await visit.versions(companiesView, [asxCodeFromText(code)], release)
  if (known) return []
  const similar = records.length > 0 ? records : await companiesOfNearestCode(visit, code)
  return [
    html`<p>Unknown company code “${isolated(code)}”.</p>`,
    ...similar.map(
      (record) =>
        html`<p>Did you mean ${linkTo(record, addressWith(list, { company: codeOf(record) }))}?</p>`,
    ),
  ]
}

async function companiesOfNearestCode(visit: Visit, code: string) {
  const companies = await visit.first(companiesView, largestFirst, mostCompanies)
  const nearest = nearestName(code, companies.map(codeOf))
  return companies.filter((company) => codeOf(company) === nearest)
}

/** The tenements with the nearest numbers, for a number that none has. @param state that of the number, if it is known */
export async function nearestNotice(
  visit: Visit,
  written: string,
  state?: string,
): Promise<Content> {
  const links = (await visit.nearestNumbers(written, state)).map((tenement, index) => {
    const href = linksAt(undefined)(recordPathOf(tenementsView, textOf("id")(tenement)))
    return html`${index > 0 && ", "}<a href="${href}">${textOf("tenement_id")(tenement)}</a> (${textOf("state")(tenement)})`
  })
  return (
    links.length > 0 &&
    notice(
      "neutral",
      html`<p>No tenement has the number “${isolated(written)}”. The nearest numbers of its type: ${links}.</p>`,
    )
  )
}
