/** A holder as a page: its tenements, its partners, its companies, and holders with names alike. */

import { readPairs } from "../../../../api/http/parameters.ts"
import type { Pair } from "../../../../api/http/query-string.ts"
import type { HolderCompany } from "../../../../data/reader/links.ts"
import type { Release } from "../../../../data/reader/releases.ts"
import { distinctiveWords, normaliseName } from "../../../../data/resources/company-name.ts"
import type { ResourceRecord } from "../../../../data/resources/resource.ts"
import { pageTitle, type TableColumn, tableSection, trail } from "../../kit/components.ts"
import { count, isolated } from "../../kit/format.ts"
import { html } from "../../kit/html.ts"
import type { PageResult } from "../../kit/page-context.ts"
import { maxSearched, textOf, toCompany } from "../lists/cells.ts"
import { countedPanels } from "../lists/counted-values.ts"
import {
  addressWith,
  filtersOf,
  linksAt,
  pageParameters,
  sentQuery,
  sentValue,
  withQuery,
} from "../lists/list-address.ts"
import { linkToList, recordNotFound } from "../lists/list-page.ts"
import { firstRows, type RecordLinks } from "../lists/list-view.ts"
import { mapPath } from "../lists/map-view.ts"
import { columnsOf, filterChips, pastNotice } from "../lists/results.ts"
import { tenementsView } from "../lists/tenement-views.ts"
import { holdersView } from "../lists/views.ts"
import { watchLink } from "../lists/watched.ts"
import type { Visit } from "../visit.ts"
import { expiriesPart, expiriesView, withinYear } from "./company-parts.ts"
import { reasonWords } from "./probable-subsidiaries.ts"

const mostShown = 10
const mostRead = 100
const nameOf = textOf("value")
const keyOf = (holder: ResourceRecord) => normaliseName(nameOf(holder))

/** @param sentName the holder's name in any spelling. @throws PageError 404; ApiError INVALID_PARAMETER */
export async function holderPage(visit: Visit, sentName: string): Promise<PageResult> {
  const parameters = pageParameters(holdersView)
  const sent = sentQuery(visit.query, parameters).filter(([name]) => name !== "held_by")
  readPairs(sent, parameters)
  const list = { view: { ...holdersView, path: "/holders/:name" }, code: sentName, sent }
  const asOf = sentValue(list, "as_of")
  const filters = Object.fromEntries(filtersOf(list))
  const key = normaliseName(sentName)
  if (key === "" || [...sentName].length > maxSearched) throw recordNotFound(holdersView, sentName)
  // The holders of its tenements: itself, and its partners.
  const { records, meta, release } = await visit.page(holdersView, "", {
    ...filters,
    held_by: sentName,
    per_page: mostRead,
    as_of: asOf,
  })
  if (meta.total === 0) throw recordNotFound(holdersView, sentName)
  const own = records.find((record) => keyOf(record) === key)
  const name = own ? nameOf(own) : sentName
  const links = linksAt(asOf)
  const day = visit.dayOf(asOf, release)
  const held = { ...filters, held_by: name }
  const toTenements = (...pairs: Pair[]) =>
    links(tenementsView.path, Object.entries({ ...held, ...Object.fromEntries(pairs) }))
  const [facets, expiries, companies, alike] = await Promise.all([
    visit.facets(tenementsView, "", held, release),
    visit.page(expiriesView, "", { ...held, ...withinYear(day), ...firstRows(release) }),
    asOf === undefined ? visit.holderCompanies(key) : [],
    namesLike(visit, name, release),
  ])
  const companyColumns = columnsOfCompanies(links)
  // Companies are read for the list only.
  const fields = holdersView.fields.filter(({ field }) => field)
  const holderColumns = columnsOf(fields, links, day)
  const partners = records.filter((record) => record !== own)
  const others = alike.filter((record) => keyOf(record) !== key)
  const present = addressWith(list, { as_of: null })
  const tenements = count(Number(own?.count ?? 0), ...tenementsView.noun)
  const lead = html`A holder of <a href="${toTenements()}">${tenements}</a>${filterChips(list)}, at release ${release.id}`
  return {
    title: name,
    section: "/explore",
    main: html`${trail([linkToList(holdersView)], isolated(name))}
${pageTitle(isolated(name), lead, watchLink(withQuery(tenementsView.path, Object.entries(held))))}
<div class="stack">${asOf !== undefined && pastNotice(release, asOf, present)}
<section class="panel"><h2><a href="${toTenements()}">Tenements</a></h2>
<div class="columns">${countedPanels(tenementsView, facets, (...pair) => toTenements(pair), true)}</div>
<p><a href="${links(mapPath, Object.entries(held))}">Map</a> of its tenements.</p></section>
${expiriesPart(expiries, { links, day }, toTenements)}
${tableSection(
  "Company",
  companyColumns,
  companies.filter(({ isLinked }) => isLinked),
)}
${tableSection(
  "Possible companies",
  companyColumns,
  companies.filter(({ isLinked }) => !isLinked),
)}
${tableSection("Partners in joint titles", holderColumns, partners.slice(0, mostShown))}
${tableSection("Holders with names alike", holderColumns, others.slice(0, mostShown))}</div>`,
  }
}

/** Holders whose names begin with the first two distinctive words of the name. */
async function namesLike(visit: Visit, name: string, release: Release): Promise<ResourceRecord[]> {
  const words = distinctiveWords(name).slice(0, 2).join(" ")
  if (words === "") return []
  const values = { holder: words, ...firstRows(release, mostRead) }
  const { records } = await visit.page(holdersView, "", values)
  return records.filter((record) => distinctiveWords(nameOf(record)).join(" ").startsWith(words))
}

const columnsOfCompanies = (links: RecordLinks): readonly TableColumn<HolderCompany>[] => [
  { head: "Company", cell: ({ code, name }) => toCompany(code, links, name), wide: true },
  { head: "Why", wide: true, cell: reasonWords },
]
