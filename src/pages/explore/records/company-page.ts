/** A company with its tenements, subsidiaries and announcements together, all at one release. */
import { planList } from "../../../answers/list-plan.ts"
import type { RequestedList } from "../../../answers/prepare-list.ts"
import { companies } from "../../../resources/companies.ts"
import type { ResourceRecord } from "../../../resources/resource.ts"
import {
  companyHistory,
  subsidiariesOfCompany,
  tenementsOfCompany,
} from "../../../routes/companies.ts"
import { reportList } from "../../../routes/reports.ts"
import { table } from "../../kit/components.ts"
import { number } from "../../kit/format.ts"
import { type Html, html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import type { Explorer, Visit } from "../explorer.ts"
import { activity, integer, shown, text } from "../lists/cells.ts"
import { countedPanel } from "../lists/counted-values.ts"
import { countedFields, type ListView } from "../lists/list-view.ts"
import {
  companiesView,
  companySubsidiariesView,
  companyTenementsView,
  reportsView,
} from "../lists/views.ts"
import type { ShownPage } from "../reading/ask.ts"
import { readBreakdown } from "../reading/breakdowns.ts"
import { listingWithTenements } from "./other-listing.ts"
import { atRelease, type FoundRecord, fieldText, findRecord, recordPage } from "./record-page.ts"

/** Of each list; the rest is a link away. */
const shownRows = 10

export async function companyPage(
  explorer: Explorer,
  visit: Visit,
  sentCode: string,
): Promise<PageResult> {
  const found = await findRecord(explorer, visit, companiesView, sentCode)
  const { record, release } = found
  const code = fieldText(record, "asx_code")
  const ofCompany = `/api/v1/companies/${encodeURIComponent(code)}`
  const count = Number(record.total_tenements)
  const first = `per_page=${shownRows}&${atRelease(release)}`
  const rowsOf = (list: RequestedList, path: string, query: string) =>
    explorer.ask.page(visit, list, { path, query })
  const [groups, owned, announced, owner] = await Promise.all([
    readBreakdown(explorer, {
      plan: planList(
        tenementsOfCompany,
        { path: `${ofCompany}/tenements`, query: "", format: "json" },
        code,
      ),
      fields: countedFields(companyTenementsView),
      release: release.id,
      account: visit.person.accountId,
    }),
    rowsOf({ endpoint: subsidiariesOfCompany, parent: code }, `${ofCompany}/subsidiaries`, first),
    rowsOf(
      { endpoint: reportList, parent: "" },
      "/api/v1/reports",
      `company=${encodeURIComponent(code)}&${first}`,
    ),
    count === 0 ? listingWithTenements(explorer, visit, found) : undefined,
  ])
  const inCompany = `/companies/${encodeURIComponent(code)}`
  const toTenements = (filter?: string, value = "") =>
    found.links.to(`${inCompany}/tenements`, filter === undefined ? [] : [[filter, value]])
  return recordPage(explorer, visit, {
    resource: companies,
    key: code,
    found,
    history: companyHistory,
    title: fieldText(record, "company_name"),
    lead: `Listed as ${code}`,
    listPath: "/companies",
    facts: [
      ["ASX code", html`<span class="mono">${code}</span>`],
      ["Company", shown(record.company_name)],
      ["Market capitalisation, A$", integer("market_cap_aud")(record)],
      ["GICS sector", text("gics_sector")(record)],
      ["GICS industry group", text("gics_industry_group")(record)],
      ["Tenements", html`<a href="${toTenements()}">${number(count)}</a>`],
      ["Listed", activity(record)],
    ],
    more: html`<section class="panel"><h2><a href="${toTenements()}">Tenements</a></h2>
${
  count === 0
    ? html`<p class="muted">${withoutTenements(owner, found)}</p>`
    : html`<div class="columns">${companyTenementsView.counted.map((counted) => countedPanel(companyTenementsView, counted, groups, toTenements, true))}</div>`
}</section>
${part(companySubsidiariesView, owned, found, found.links.to(`${inCompany}/subsidiaries`))}
${part(reportsView, announced, found, found.links.to("/reports", [["company", code]]))}`,
  })
}

const withoutTenements = (owner: string | undefined, { links }: FoundRecord): Html =>
  owner === undefined
    ? html`Neither the company nor one of its subsidiaries holds a tenement.`
    : html`A secondary listing of <a href="${links.to(`/companies/${encodeURIComponent(owner)}`)}">${owner}</a>, which has the company’s tenements.`

/** The first records of a list, and the way to all of them. */
function part(
  { columns, noun, endpoint }: ListView,
  { records, meta }: ShownPage,
  { links }: FoundRecord,
  all: string,
): Html {
  const [, plural] = noun
  const title = `${plural[0]?.toUpperCase()}${plural.slice(1)}`
  // Each is of this company.
  const company = ["Parent", "Company"]
  return html`<section class="stack whole"><h2 id="${endpoint.resource.name}">${title}</h2>
${table({
  caption: title,
  columns: columns
    .filter(({ head }) => !company.includes(head))
    .map(({ sort: _, cell, ...column }) => ({
      ...column,
      cell: (record: ResourceRecord) => cell(record, links),
    })),
  rows: records,
  empty: `No ${plural} are known.`,
})}
${meta.total > records.length && html`<p><a href="${all}">All ${number(meta.total)} ${plural}</a></p>`}</section>`
}
