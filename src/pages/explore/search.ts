/**
 * One search for all lists: the best matches of each kind, read through the API's lists. A script shows the
 * same matches under the search box while a person types.
 */
import { Type } from "@sinclair/typebox"
import { readParameters } from "../../http/parameters.ts"
import { type CanonicalQuery, encodeQuery } from "../../http/query-string.ts"
import type { ResourceRecord } from "../../resources/resource.ts"
import { freeText } from "../../resources/values.ts"
import { fold } from "../../text/fold.ts"
import { pageTitle } from "../kit/components.ts"
import { isolated } from "../kit/format.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { mostSearched, textOf } from "./lists/cells.ts"
import { linksAt, withoutEmpty } from "./lists/list-address.ts"
import { type ListView, pathWith } from "./lists/list-view.ts"
import { tenementsView } from "./lists/tenement-views.ts"
import { companiesView, reportsView } from "./lists/views.ts"
import type { Visit } from "./visit.ts"

interface Match {
  href: string
  label: string
  note?: Content
}

interface Kind {
  /** `Tenements` */
  title: string
  view: ListView
  /** The list's filter for the term. */
  filter: string
  /** The order, the best matches first. */
  find: (visit: Visit, term: string) => Promise<Match[]>
}

const most = 5
const mostCompanies = 100
const links = linksAt(undefined)
const recordLink = (path: string, key: string, record: ResourceRecord) =>
  links(pathWith(path, textOf(key)(record)))

const firstWith = (visit: Visit, view: ListView, term: string, query: CanonicalQuery) =>
  visit.first(view, encodeQuery([["search", term], ...query]))

const kinds: readonly Kind[] = [
  {
    title: "Companies",
    view: companiesView,
    filter: "search",
    find: async (visit, term) => {
      const order = [
        ["sort", "market_cap"],
        ["order", "desc"],
        ["per_page", `${mostCompanies}`],
      ] as const
      const lists = await Promise.all(
        ["true", "false"].map((active) =>
          firstWith(visit, companiesView, term, [["active", active], ...order]),
        ),
      )
      const folded = fold(term)
      return lists
        .flat()
        .sort((a, b) => rankOf(a, folded) - rankOf(b, folded))
        .map((record) => ({
          href: recordLink("/companies/:code", "asx_code", record),
          label: textOf("company_name")(record),
          note: html`<span class="mono">${textOf("asx_code")(record)}</span>${!record.is_active && " inactive"}`,
        }))
    },
  },
  {
    title: "Tenements",
    view: tenementsView,
    filter: "search",
    find: async (visit, term) =>
      (await firstWith(visit, tenementsView, term, [["per_page", `${most}`]])).map((record) => ({
        href: recordLink("/tenements/:id", "id", record),
        label: textOf("tenement_id")(record),
        note: [record.state, record.type, record.holder_name].filter(Boolean).join(" · "),
      })),
  },
  {
    title: "Holders",
    view: tenementsView,
    filter: "holder",
    find: async (visit, term) => {
      const names = await visit.valuesWith(tenementsView, "holder", term)
      return names.flatMap(({ value: label }) =>
        label !== null && fold(label).includes(fold(term)) && [...label].length <= mostSearched
          ? [{ href: links("/tenements", [["holder", label]]), label }]
          : [],
      )
    },
  },
  {
    title: "Announcements",
    view: reportsView,
    filter: "search",
    find: async (visit, term) =>
      (await firstWith(visit, reportsView, term, [["per_page", `${most}`]])).map((record) => ({
        href: recordLink("/reports/:hash", "hash", record),
        label: textOf("title")(record),
        note: html`<span class="mono">${textOf("asx_code")(record)}</span> ${textOf("published_at")(record).slice(0, 10)}`,
      })),
  },
]

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
  const { q = "" } = readParameters(withoutEmpty(visit.query) ?? visit.query, parameters)
  const term = q.trim()
  const groups = await Promise.all(
    kinds.map(async (kind) => {
      const matches = term === "" ? [] : await kind.find(visit, term)
      return { ...kind, matches: matches.slice(0, most) }
    }),
  )
  const found = groups.filter(({ matches }) => matches.length > 0)
  return {
    title: "Search",
    section: "/explore",
    searched: term,
    main: html`${pageTitle("Search", leadOf(term, found.length > 0))}
<div class="stack" id="matches">${found.map(groupOf(term))}</div>`,
  }
}

function leadOf(term: string, isFound: boolean): Content {
  if (term === "") {
    return "Type a code, or a part of a company, tenement number, holder or announcement title."
  }
  const quoted = html`“${isolated(term)}”`
  if (isFound) return html`The best matches for ${quoted}.`
  return html`Nothing contains ${quoted}. Look at the spelling; parts of numbers, holders and titles need three letters or digits.`
}

const groupOf =
  (term: string) =>
  ({ title, view, filter, matches }: Kind & { matches: readonly Match[] }): Content =>
    html`<section class="panel"><h2>${title}</h2>
<ul class="plain matches">${matches.map(({ href, label, note }) => html`<li><a href="${href}">${isolated(label)}</a> ${note && html`<span class="muted small">${note}</span>`}</li>`)}</ul>
<p class="small"><a href="${links(view.path, [[filter, term]])}">All ${title.toLowerCase()} with “${isolated(term)}”</a></p></section>`
