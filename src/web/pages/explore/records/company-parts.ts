/** The parts of a company's page: tenements, subsidiaries and announcements, all at one release. */
import type { Pair } from "../../../../api/http/query-string.ts"
import { normaliseName } from "../../../../data/resources/company-name.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { table } from "../../kit/components.ts"
import { number } from "../../kit/format.ts"
import { type Html, html } from "../../kit/html.ts"
import { textOf } from "../lists/cells.ts"
import { countedPanels } from "../lists/counted-values.ts"
import { firstRows, type ListView, recordPathOf, titleOfView } from "../lists/list-view.ts"
import { mapPath } from "../lists/map-view.ts"
import { columnsOf } from "../lists/results.ts"
import {
  companyTenementsView,
  expiringWithin,
  nextToExpire,
  tenementsView,
} from "../lists/tenement-views.ts"
import { companiesView, companySubsidiariesView, reportsView } from "../lists/views.ts"
import type { ShownPage, Visit } from "../visit.ts"
import { notCountedRemark, probableSubsidiaries } from "./probable-subsidiaries.ts"
import type { FoundRecord } from "./record-page.ts"

export const expiriesView: ListView = {
  ...tenementsView,
  noun: ["expiry within a year", "expiries within a year"],
  fields: tenementsView.fields.filter(({ head }) =>
    ["Tenement", "State", "Type", "Expires"].includes(head),
  ),
}

const expiriesOfCompany = { ...expiriesView, endpoint: companyTenementsView.endpoint }

export async function companyParts(visit: Visit, found: FoundRecord) {
  const { record, release, key: code, links, day, isPast } = found
  const hasTenements = Number(record.total_tenements) > 0
  const first = firstRows(release)
  const next = nextToExpire(day)
  const [facets, subsidiaries, reports, owner, expiries, undated, holders] = await Promise.all([
    hasTenements ? visit.facets(companyTenementsView, code, {}, release) : {},
    visit.page(companySubsidiariesView, code, first),
    visit.page(reportsView, "", { company: code, ...first }),
    hasTenements ? undefined : listingWithTenements(visit, found),
    hasTenements &&
      visit.page(expiriesOfCompany, code, { ...withinYear(day), ...firstRows(release, 5) }),
    hasTenements ? visit.leftOut(companyTenementsView, code, next, release) : [],
    isPast ? [] : visit.suggestedHolders(code),
  ])
  const inCompany = recordPathOf(companiesView, code)
  const toTenements = (...query: Pair[]) => links(`${inCompany}/tenements`, query)
  const soon = toTenements(...Object.entries(expiringWithin(day, 90)))
  const tenements = hasTenements
    ? html`<div class="columns">${countedPanels(companyTenementsView, facets, (...pair) => toTenements(pair), true)}</div>
${expiries && expiries.meta.total > 0 && html`<p><a href="${soon}">Expiring in 90 days</a></p>`}
${undated.map(({ count, total, field }) => {
  const share = count === total ? `All ${number(total)}` : `${number(count)} of ${number(total)}`
  return html`<p class="muted">${share} granted tenements have no ${field}.</p>`
})}`
    : html`<p class="muted">${
        owner === undefined
          ? html`Not matched to any holder yet: no tenement is held under the name of the company or of a known subsidiary.
The overview shows the <a href="/#linked">share of linked tenements by state</a>.`
          : html`A secondary listing of <a href="${links(recordPathOf(companiesView, owner))}">${owner}</a>, which has the company’s tenements.`
      }</p>`
  const remarks = { total_tenements: notCountedRemark(holders) }
  const main = html`<section class="panel"><h2><a href="${toTenements()}">Tenements</a></h2>
${tenements}
<p>${hasTenements && html`<a href="${links(mapPath, [["company", code]])}">Map</a> of its tenements. `}
<a href="/explore/compare?codes=${code}">Compare</a> with other companies.</p></section>
${expiries && expiriesPart(expiries, found, toTenements)}
${probableSubsidiaries(holders, links)}
${part(companySubsidiariesView, subsidiaries, found, links(`${inCompany}/subsidiaries`))}
${part(reportsView, reports, found, links("/reports", [["company", code]]))}`
  return { main, remarks }
}

export const withinYear = (day: string) => expiringWithin(day, 365)

/** The first expiries within a year, and links to all of them and to later ones. */
export const expiriesPart = (
  expiries: ShownPage,
  shown: Pick<FoundRecord, "links" | "day">,
  toTenements: (...query: Pair[]) => string,
): Html => html`${part(expiriesView, expiries, shown, toTenements(...Object.entries(withinYear(shown.day))))}
<p><a href="${toTenements(...Object.entries(nextToExpire(shown.day)))}">All coming expiries</a></p>`

/** The first records of a list, and a link to all of them. */
function part(
  view: ListView,
  { records, meta }: ShownPage,
  { links, day }: Pick<FoundRecord, "links" | "day">,
  all: string,
): Html {
  const title = titleOfView(view)
  const [, plural] = view.noun
  // Each record is of this company.
  const isOfCompany = ({ head }: { head: string }) => head === "Parent" || head === "Company"
  return html`<section class="stack"><h2 id="${view.endpoint.resource.name}">${title}</h2>
${table({
  caption: title,
  columns: columnsOf(
    view.fields.filter((field) => field.only !== "record" && !isOfCompany(field)),
    links,
    day,
  ),
  rows: records,
  empty: `No ${plural} are known.`,
})}
${meta.total > records.length && html`<p><a href="${all}">All ${number(meta.total)} ${plural}</a></p>`}</section>`
}

const searchedRows = 100
const nameOf = textOf("company_name")

/**
 * The code that has the tenements of a company without any, if its name is listed under several: of
 * these only the ordinary share's has them.
 */
async function listingWithTenements(
  visit: Visit,
  { record, release }: FoundRecord,
): Promise<string | undefined> {
  const key = normaliseName(nameOf(record))
  if (key === "") return undefined
  const values = { search: nameOf(record), ...firstRows(release, searchedRows) }
  // A company that is no longer listed never has the tenements of a listed one.
  const states = record.is_active ? [true] : [true, false]
  const pages = await Promise.all(
    states.map((active) => visit.page(companiesView, "", { ...values, active })),
  )
  const isOwner = (other: ResourceRecord) =>
    Number(other.total_tenements) > 0 && normaliseName(nameOf(other)) === key
  const owner = pages.flatMap(({ records }) => records).find(isOwner)
  return owner && textOf("asx_code")(owner)
}
