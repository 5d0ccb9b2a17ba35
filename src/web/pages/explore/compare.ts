import { Type } from "@sinclair/typebox"
import { readParameters, textParameter } from "../../../api/http/parameters.ts"
import type { Release } from "../../../data/reader/releases.ts"
import { freeText } from "../../../data/resources/values.ts"
import { formField, notice, pageTitle, table } from "../kit/components.ts"
import { dash, number } from "../kit/format.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { inSydney, listingStatus, marketCap, notMatchedInWords, textOf } from "./lists/cells.ts"
import { linksAt, withQuery } from "./lists/list-address.ts"
import { firstRows, recordPathOf } from "./lists/list-view.ts"
import { companyChoices } from "./lists/possible-companies.ts"
import { expiringWithin, tenementsView } from "./lists/tenement-views.ts"
import { companiesView, reportsView } from "./lists/views.ts"
import { notCountedRemark } from "./records/probable-subsidiaries.ts"
import { companyNamed } from "./search.ts"
import type { Visit } from "./visit.ts"

const mostCompanies = 6
const parameters = {
  codes: Type.Optional(freeText("ASX codes or names, separated by commas", "BHP,RIO,FMG")),
}

interface Compared {
  code: string
  /** By the label of a row. */
  cells: Readonly<Record<string, Content>>
  /** Shown in rows without a value: not 0 if no tenement is linked, or they could not be counted in time. */
  absent: Content
}

/** @throws ApiError INVALID_PARAMETER */
export async function comparePage(visit: Visit): Promise<PageResult> {
  const written = textParameter(readParameters(visit.query, parameters), "codes") ?? ""
  const parts = [...new Set(written.split(/[,;]/).flatMap((part) => part.trim() || []))]
  const newest = await visit.newest()
  const named = parts
    .slice(0, mostCompanies)
    .map(async (part) => (await companyNamed(visit, part)) ?? codesIn(visit, part, newest))
  const codes = [...new Set([...(await Promise.all(named)).flat(), ...parts.slice(mostCompanies)])]
  const read = await Promise.all(
    codes.slice(0, mostCompanies).map((code) => readCompany(visit, code, newest)),
  )
  const companies = read.filter((company) => company !== null)
  const unknown = codes.filter((_, index) => read[index] === null)
  const faults = [
    unknown.length > 0 && `No company, or several, have the code or name ${unknown.join(", ")}.`,
    codes.length > mostCompanies && `Only the first ${mostCompanies} companies are compared.`,
  ].filter(Boolean)
  const choices = await Promise.all(
    unknown.map((text) =>
      companyChoices(visit, text, newest, (code) =>
        withQuery("/explore/compare", [["codes", codes.with(codes.indexOf(text), code).join()]]),
      ),
    ),
  )
  const fault = faults.length > 0 ? faults.join(" ") : undefined
  const labels = [...new Set(companies.flatMap(({ cells }) => Object.keys(cells)))]
  // Counts of one filter are beside one another, whichever company has them.
  const rows = [...Map.groupBy(labels, (label) => label.split(":")[0]).values()].flat()
  const columns = companies.map(({ code, cells, absent }) => ({
    head: code,
    number: true,
    cell: (row: string) => cells[row] ?? absent,
  }))
  return {
    title: "Compare companies",
    section: "/explore",
    ...(fault && { status: unknown.length > 0 ? 404 : 400 }),
    main: html`${pageTitle("Compare companies", `Up to ${mostCompanies} companies, by their codes or names, separated by commas.`)}
<div class="stack"><form class="panel" method="get"><div class="filters">
<div class="wide">${formField({ name: "codes", label: "Companies", value: codes.join(", "), fault })}</div>
<div class="apply"><button class="primary">Compare</button></div>
</div></form>
${choices.flat().length > 0 && notice("neutral", choices)}
${
  companies.length > 0 &&
  table({
    caption: "Companies side by side",
    rows,
    empty: "",
    columns: [{ head: "Code", cell: (row: string) => row }, ...columns],
    isSideways: true,
  })
}</div>`,
  }
}

/** The codes in a text, separated by spaces, if one of them is known; or the text itself. */
async function codesIn(visit: Visit, text: string, release: Release): Promise<string[]> {
  const codes = text.toUpperCase().split(/\s+/)
  const known = await visit.versions(companiesView, codes, release)
  return known.some(Boolean) ? codes : [text]
}

/** Null for an unknown code. */
async function readCompany(visit: Visit, code: string, release: Release): Promise<Compared | null> {
  const [record] = await visit.versions(companiesView, [code], release)
  if (!record) return null
  const day = visit.dayOf(undefined, release)
  const expiring = expiringWithin(day, 365)
  const ofCompany = { company: code }
  const hasTenements = record.total_tenements !== 0
  const [facets, expiries, [undated], reports, holders] = await Promise.all([
    visit.facets(tenementsView, "", ofCompany, release),
    visit.total(tenementsView, { ...ofCompany, ...expiring }, release),
    visit.leftOut(tenementsView, "", { ...ofCompany, ...expiring }, release),
    visit.page(reportsView, "", { ...ofCompany, group: "quarterly", ...firstRows(release, 1) }),
    visit.suggestedHolders(code),
  ])
  const links = linksAt(undefined)
  const toTenements = (filters: readonly (readonly [string, string])[], count: number) =>
    html`<a href="${links("/tenements", [["company", code], ...filters])}">${number(count)}</a>`
  const counted = (["state", "status", "type"] as const).flatMap((name) =>
    (facets[name] ?? []).map(({ value, count }): [string, Content] => [
      `Tenements, ${name}: ${value ?? "unknown"}`,
      value === null ? number(count) : toTenements([[name, value]], count),
    ]),
  )
  const [last] = reports.records
  const cells: Record<string, Content> = {
    Company: html`<a href="${links(recordPathOf(companiesView, code))}">${textOf("company_name")(record)}</a>`,
    Listed: listingStatus(record, links, day),
    "Market cap, A$": marketCap(record),
    Tenements: html`${hasTenements ? toTenements([], Number(record.total_tenements)) : notMatchedInWords}${notCountedRemark(holders)}`,
    "Tenements expiring within a year": hasTenements
      ? toTenements(Object.entries(expiring), expiries)
      : dash,
    "Granted tenements without expiry date": hasTenements ? number(undated?.count ?? 0) : dash,
    "Last quarterly": last
      ? html`<a href="${links(recordPathOf(reportsView, textOf("hash")(last)))}">${inSydney("published_at")(last)}</a>`
      : dash,
    ...Object.fromEntries(counted),
  }
  const isCounted = hasTenements && !Object.values(facets).includes(null)
  return { code, cells, absent: isCounted ? "0" : dash }
}
