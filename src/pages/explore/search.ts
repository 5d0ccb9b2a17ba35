/**
 * One search for all lists: the best matches of each kind, read as the API's lists are. A script shows the
 * same page's matches under the search box while a person types.
 */
import { encodeQuery } from "../../http/query-string.ts"
import type { ResourceRecord } from "../../resources/resource.ts"
import { fold, splitValues } from "../../text/fold.ts"
import { pageTitle } from "../kit/components.ts"
import { isolated } from "../kit/format.ts"
import { type Content, html } from "../kit/html.ts"
import type { PageResult } from "../kit/page-context.ts"
import { mostSearched, textOf } from "./lists/cells.ts"
import { linksAt, sentQuery } from "./lists/list-address.ts"
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
  /** The filter of the list that finds it. */
  filter: string
  /** What else the lists are asked with that are read, the better ones first. */
  queries: readonly string[]
  /** The best ones first. */
  matchesOf: (records: readonly ResourceRecord[], term: string) => Match[]
}

const most = 5
const links = linksAt(undefined)
const recordLink = (path: string, key: string) => (record: ResourceRecord) =>
  links(pathWith(path, textOf(key)(record)))

const kinds: readonly Kind[] = [
  {
    title: "Companies",
    view: companiesView,
    filter: "search",
    queries: ["active=true", "active=false"].map(
      (active) => `${active}&per_page=100&sort=market_cap&order=desc`,
    ),
    matchesOf: (records, term) =>
      records
        .toSorted((a, b) => rankOf(a, term) - rankOf(b, term))
        .map((record) => ({
          href: recordLink("/companies/:code", "asx_code")(record),
          label: textOf("company_name")(record),
          note: html`<span class="mono">${textOf("asx_code")(record)}</span>${!record.is_active && " inactive"}`,
        })),
  },
  {
    title: "Tenements",
    view: tenementsView,
    filter: "search",
    queries: [`per_page=${most}`],
    matchesOf: (records) =>
      records.map((record) => ({
        href: recordLink("/tenements/:id", "id")(record),
        label: textOf("tenement_id")(record),
        note: [record.state, record.type, record.holder_name].filter(Boolean).join(" · "),
      })),
  },
  {
    title: "Holders",
    view: tenementsView,
    filter: "holder",
    queries: ["per_page=100"],
    matchesOf: (records, term) =>
      holdersIn(records, term).map((label) => ({
        href: links("/tenements", [["holder", label]]),
        label,
      })),
  },
  {
    title: "Announcements",
    view: reportsView,
    filter: "search",
    queries: [`per_page=${most}`],
    matchesOf: (records) =>
      records.map((record) => ({
        href: recordLink("/reports/:hash", "hash")(record),
        label: textOf("title")(record),
        note: html`<span class="mono">${textOf("asx_code")(record)}</span> ${textOf("published_at")(record).slice(0, 10)}`,
      })),
  },
]

/** The code itself, then what begins with the term, then the others. */
function rankOf(record: ResourceRecord, term: string): number {
  const [code = "", name = ""] = ["asx_code", "company_name"].map((of) => fold(textOf(of)(record)))
  return code === term ? 0 : code.startsWith(term) || name.startsWith(term) ? 1 : 2
}

/** The names that contain the term, those with the most of these tenements first. */
function holdersIn(records: readonly ResourceRecord[], term: string): string[] {
  const names = records
    .flatMap((record) => splitValues(textOf("holder_name")(record)))
    .filter((name) => fold(name).includes(term) && [...name].length <= mostSearched)
  return [...Map.groupBy(names, (name) => name)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name]) => name)
}

/** @throws ApiError for a term that no list accepts, and as the lists do */
export async function searchPage(visit: Visit): Promise<PageResult> {
  const [, sent = ""] = sentQuery(visit.query).find(([name]) => name === "q") ?? []
  const term = sent.trim()
  const found = term === "" ? [] : await Promise.all(kinds.map((kind) => find(visit, kind, term)))
  const count = found.reduce((sum, { matches }) => sum + matches.length, 0)
  return {
    title: "Search",
    section: "/explore",
    searched: term,
    main: html`${pageTitle("Search", leadOf(term, count))}
<div class="stack" id="matches">${found.filter(({ matches }) => matches.length > 0).map(groupOf(term))}</div>`,
  }
}

async function find(visit: Visit, kind: Kind, term: string) {
  const { view, filter, queries, matchesOf } = kind
  const ofTerm = encodeQuery([[filter, term]])
  const lists = await Promise.all(queries.map((query) => visit.first(view, `${query}&${ofTerm}`)))
  return { ...kind, matches: matchesOf(lists.flat(), fold(term)).slice(0, most) }
}

function leadOf(term: string, count: number): Content {
  if (term === "") {
    return "Type a code, or a part of a company, tenement number, holder or announcement title."
  }
  const quoted = html`“${isolated(term)}”`
  if (count > 0) return html`The best matches for ${quoted}.`
  return html`Nothing contains ${quoted}. Look at the spelling; parts of numbers, holders and titles need three letters or digits.`
}

const groupOf =
  (term: string) =>
  ({ title, view, filter, matches }: Kind & { matches: readonly Match[] }): Content =>
    html`<section class="panel"><h2>${title}</h2>
<ul class="plain matches">${matches.map(({ href, label, note }) => html`<li><a href="${href}">${isolated(label)}</a> ${note && html`<span class="muted small">${note}</span>`}</li>`)}</ul>
<p class="small"><a href="${links(view.path, [[filter, term]])}">All ${title.toLowerCase()} with “${isolated(term)}”</a></p></section>`
