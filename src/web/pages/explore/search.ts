/**
 * One search for all lists and the guide: the best matches of each kind, those of lists read through the API. A script shows the
 * same matches under the search box while a person types.
 */
import { Type } from "@sinclair/typebox"
import { readParameters, textParameter } from "../../../api/http/parameters.ts"
import { withoutLegalForm } from "../../../data/resources/company-name.ts"
import type { ResourceRecord } from "../../../data/resources/resource.ts"
import { asxCodeFromText, freeText } from "../../../data/resources/values.ts"
import { fold } from "../../../system/text/fold.ts"
import { searchGuide } from "../docs/guide.ts"
import { type Match, matchList, pageTitle } from "../kit/components.ts"
import { isolated } from "../kit/format.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { inSydney, maxSearched, textOf } from "./lists/cells.ts"
import { linksAt, withQuery } from "./lists/list-address.ts"
import { type ListOfRecords, recordPathOf, titleOfView } from "./lists/list-view.ts"
import { nearestNotice } from "./lists/possible-companies.ts"
import { tenementsView } from "./lists/tenement-views.ts"
import { companiesView, holdersView, largestFirst, reportsView } from "./lists/views.ts"
import type { Visit } from "./visit.ts"

interface Kind {
  /** `Tenements` */
  title: string
  /** The page of all matches, and its parameter for the term. */
  path: string
  filter: string
  /** The best matches first. */
  find: (visit: Visit, term: string) => Promise<Match[]>
}

const most = 5
const mostCompanies = 100
const links = linksAt(undefined)
const nameOf = textOf("company_name")

/** The first records of a list, unless `read` reads them in another order. */
const recordsOf = (
  view: ListOfRecords,
  note: (record: ResourceRecord) => Content,
  read = (visit: Visit, term: string) => visit.first(view, { search: term }, most),
): Kind => ({
  title: titleOfView(view),
  path: links(view.path),
  filter: "search",
  find: async (visit, term) =>
    (await read(visit, term)).map((record) => ({
      href: links(recordPathOf(view, textOf(view.endpoint.resource.key)(record))),
      label: view.record.title(record),
      note: note(record),
    })),
})

const withCode = (record: ResourceRecord, words: Content) =>
  html`<span class="mono">${textOf("asx_code")(record)}</span>${words}`

const kinds: readonly Kind[] = [
  recordsOf(
    companiesView,
    (record) =>
      withCode(record, [
        record.formerly && ` ${record.formerly}`,
        !record.is_active && " inactive",
      ]),
    companiesByRank,
  ),
  recordsOf(tenementsView, ({ state, type, holder_name }) =>
    [state, type, holder_name].filter(Boolean).join(" · "),
  ),
  {
    title: "Holders",
    path: links(holdersView.path),
    filter: "holder",
    find: async (visit, term) => {
      const folded = fold(term)
      const names = await visit.holdersWith(tenementsView, term)
      return names
        .flatMap(({ value: label }) =>
          label !== null && fold(label).includes(folded) && [...label].length <= maxSearched
            ? [{ href: links(recordPathOf(holdersView, label)), label }]
            : [],
        )
        .sort((a, b) => placeOf(a.label, folded) - placeOf(b.label, folded))
    },
  },
  recordsOf(reportsView, (record) => withCode(record, html` ${inSydney("published_at")(record)}`)),
  {
    title: "Pages of the guide",
    path: "/docs",
    filter: "q",
    find: (_, term) => searchGuide(term),
  },
]

/** Names that begin with the term come first. */
const placeOf = (name: string, term: string): number => (fold(name).startsWith(term) ? 0 : 1)

async function companiesByRank(visit: Visit, term: string): Promise<ResourceRecord[]> {
  const values = { search: term, ...largestFirst }
  const lists = await Promise.all([
    ...[true, false].map((active) =>
      visit.first(companiesView, { ...values, active }, mostCompanies),
    ),
    visit.companiesFormerly(term),
  ])
  const folded = fold(term)
  const ranked = lists.flat().sort((a, b) => rankOf(a, folded) - rankOf(b, folded))
  const codes = ranked.map(textOf("asx_code"))
  return ranked.filter((_, index) => codes.indexOf(codes[index] ?? "") === index)
}

/** The code that a text is, or that of the only company with this name or, without one, with a name that has it; or null. */
export async function companyNamed(visit: Visit, text: string): Promise<string | null> {
  const code = asxCodeFromText(text)
  const [known] = await visit.versions(companiesView, [code], await visit.newest())
  if (known) return code
  const found = await companiesByRank(visit, text.trim())
  const listed = found.filter(({ is_active }) => is_active)
  const name = withoutLegalForm(text)
  const isBearer = (each: ResourceRecord) => withoutLegalForm(nameOf(each)) === name
  const choices = [listed.filter(isBearer), found.filter(isBearer), listed, found]
  const [only, second] = choices.find(({ length }) => length > 0) ?? []
  return only && !second ? textOf("asx_code")(only) : null
}

/** The code itself, then names and codes that begin with the term, then the others. */
function rankOf(record: ResourceRecord, term: string): number {
  const [code = "", name = ""] = ["asx_code", "company_name"].map((of) => fold(textOf(of)(record)))
  return code === term ? 0 : code.startsWith(term) || name.startsWith(term) ? 1 : 2
}

const parameters = {
  q: Type.Optional(freeText("Part of a code, name, number, holder or title", "fmg")),
}

/** @throws ApiError INVALID_PARAMETER, Unavailable, ReleaseUnavailable */
export async function searchPage(visit: Visit): Promise<PageResult> {
  const values = readParameters(visit.query, parameters)
  const term = textParameter(values, "q")?.trim() ?? ""
  const groups = await Promise.all(
    kinds.map(async (kind) => {
      const matches = term === "" ? [] : await kind.find(visit, term)
      return { ...kind, matches: matches.slice(0, most) }
    }),
  )
  const found = groups.filter(({ matches }) => matches.length > 0)
  const hasNumber = found.some(({ title }) => title === titleOfView(tenementsView))
  const nearest = !hasNumber && (await nearestNotice(visit, term))
  return {
    title: "Search",
    section: "/explore",
    searched: term,
    main: html`${pageTitle("Search", leadOf(term, found.length > 0, nearest))}
<div class="stack" id="matches">${nearest}${found.length > 0 ? found.map(groupOf(term)) : browse}</div>`,
  }
}

function leadOf(term: string, isFound: boolean, nearest: Content): Content {
  if (term === "") {
    return "Type a code, or a part of a company, tenement number, holder or announcement title."
  }
  const quoted = html`“${isolated(term)}”`
  if (isFound) return html`The best matches for ${quoted}.`
  return html`Nothing contains ${quoted}.${!nearest && " Check the spelling. Type three or more characters."}`
}

const browse = html`<p>Or filter a list: <a href="/explore/companies">companies</a>,
<a href="/explore/tenements">tenements</a>, <a href="/explore/holders">holders</a>,
<a href="/explore/reports">announcements</a>.</p>`

const groupOf =
  (term: string) =>
  ({ title, path, filter, matches }: Kind & { matches: readonly Match[] }): Content =>
    html`<section class="panel"><h2>${title}</h2>
${matchList(matches)}
<p class="matches"><a href="${withQuery(path, [[filter, term]])}">All ${title.toLowerCase()} with “${isolated(term)}”</a></p></section>`
