/**
 * Companies that a person may mean: with a former name, a holder's name in a search for tenements, or a code;
 * and tenements, with a number.
 */

import { probableSubsidiariesWords } from "../../../../api/responses/notes.ts"
import type { Release } from "../../../../data/reader/releases.ts"
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
 * For a company without other filters, its probable subsidiaries; for a holder, companies of that name; for a name
 * without companies, those that had it.
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
  const holder = list.view === tenementsView && sentValue(list, "holder")
  if (!holder || code !== undefined || meta.page > 1 || release.id === 0) return null
  const lines = holdersOfMore(list, await companiesWith(visit, holder, release), meta.total)
  return lines.length > 0 && notice("neutral", lines)
}

/** In place of the empty list of a company that is unknown. */
export async function unknownCompany(
  visit: Visit,
  list: RequestedList,
  { meta, release }: ShownPage,
): Promise<Content> {
  const code = sentValue(list, "company")
  if (code === undefined || meta.total > 0 || release.id === 0) return null
  const [known] = await visit.versions(companiesView, [asxCodeFromText(code)], release)
  if (known) return null
  const linkTo = (company: string) => addressWith(list, { company })
  return notice("neutral", [
    html`<p id="lead">Unknown company code “${isolated(code)}”.</p>`,
    ...(await companyChoices(visit, code, release, linkTo)),
  ])
}

/** The largest companies of a name or, without any, those with the nearest code. */
export async function companyChoices(
  visit: Visit,
  written: string,
  release: Release,
  linkTo: (code: string) => string,
): Promise<Html[]> {
  const named = await companiesWith(visit, written, release)
  const similar = named.length > 0 ? named : await companiesOfNearestCode(visit, written, release)
  return similar.map(
    (company) => html`
<p>Did you mean ${linked(company, linkTo(codeOf(company)))}?</p>`,
  )
}

async function companiesWith(visit: Visit, search: string, release: Release) {
  const values = { search, ...largestFirst, ...firstRows(release, mostNamed) }
  return (await visit.page(companiesView, "", values)).records
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

const linked = (record: ResourceRecord, address: string) =>
  html`<a href="${address}">${nameOf(record)} (${codeOf(record)})</a>`

/** Registers list most tenements of a company under the names of its subsidiaries. */
function holdersOfMore(list: RequestedList, named: readonly ResourceRecord[], listed: number) {
  const links = linksAt(sentValue(list, "as_of"))
  return named.flatMap((record) => {
    const tenements = Number(record.total_tenements)
    if (tenements <= listed) return []
    const address = links(list.view.path, [["company", codeOf(record)]])
    return html`<p>${linked(record, address)} holds ${count(tenements, "tenement")}, in its own name or through subsidiaries.</p>`
  })
}

/** None if the company was listed after the release. */
async function companiesOfNearestCode(visit: Visit, code: string, release: Release) {
  const companies = await visit.first(companiesView, largestFirst, mostCompanies)
  const nearest = nearestName(code, companies.map(codeOf))
  const versions = await visit.versions(companiesView, nearest ? [nearest] : [], release)
  return versions.filter((version) => version !== null)
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
