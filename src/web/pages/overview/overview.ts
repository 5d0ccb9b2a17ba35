/** `/`: the service in a sentence, the state of the data, a sample request, and links. */
import { Elysia } from "elysia"
import {
  confirmGroups,
  groupsInWords,
  knownGroup,
  type LinkReader,
} from "../../../data/reader/links.ts"
import type { SourceLoad } from "../../../data/reader/source-loads.ts"
import type { ResourceRecord } from "../../../data/resources/resource.ts"
import { sentenceCase } from "../../../system/text/display.ts"
import { day, integerCell } from "../explore/lists/cells.ts"
import { linksAt, withQuery } from "../explore/lists/list-address.ts"
import {
  bars,
  copyable,
  notice,
  pageTitle,
  statusBadge,
  table,
  tokenPlaceholder,
  tokenSentence,
} from "../kit/components.ts"
import { number, orDash, relative, stateNames, timeElement } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import { serviceName } from "../kit/layout.ts"
import { type PageOptions, type PageResult, pageContext } from "../kit/page-context.ts"
import { createDataState, type DataState, type DataStateOptions } from "./data-state.ts"

export type OverviewOptions = PageOptions &
  DataStateOptions & { companyLinks: Pick<LinkReader, "linkedByReason"> }

export const overview = (options: OverviewOptions) => {
  const dataState = createDataState(options)
  return new Elysia({ name: "overview" })
    .use(pageContext(options))
    .get("/", async ({ page, publicUrl, visitor }) => {
      const [state, person] = await Promise.all([dataState(), visitor()])
      const read = options.companyLinks.linkedByReason
      const [groups] = person?.plan === "admin" ? await read(knownGroup, person.accountId) : []
      const shown = { ...state, further: groups?.further ?? 0 }
      return page(overviewContent(shown, publicUrl, options.now().getTime()))
    })
}

const lead =
  "ASX-listed resource companies, Australian mining tenements, company subsidiaries and announcements (“reports” " +
  "in the API), to explore here and to read as JSON, CSV, TSV, NDJSON or Parquet. Data is published in numbered " +
  "releases. Every response comes from one release."

/** `further`: how many tenements the known groups would link, for people who can link them. */
type Shown = DataState & { further: number }

const overviewContent = (state: Shown, publicUrl: string, nowMs: number): PageResult => ({
  title: serviceName,
  section: "/",
  scripts: ["copy.js"],
  main: html`${pageTitle(serviceName, lead)}
<div class="stack overview">
${state.release.id === 0 ? empty : [figures(state), knownGroups(state), loads(state, nowMs), linkedShares(state)]}
${tryIt(publicUrl)}
</div>`,
})

const empty: Html = notice(
  "waiting",
  html`<p>There is no data yet, so every list is empty. Load a file with
<code>bun run mds load SOURCE FILE</code>, and the first release appears here: see
<a href="/docs/guide/first-hour">The first hour</a>.</p>`,
)

const figures = ({ counts }: DataState): Html =>
  html`<dl class="figures">${counts.map(
    ({ label, count, path }) =>
      html`<div class="panel"><dt><a href="${path}">${label}</a></dt><dd>${number(count)}</dd></div>`,
  )}</dl>`

/** The links after the latest load that they depend on. */
const linksOf = ({ loads: made }: DataState) =>
  made.find(({ byState }) => byState !== null)?.byState ?? {}

function knownGroups(state: Shown): Content {
  const words = groupsInWords(linksOf(state), state.further)
  const text = html`<p>${words} Run <code>${confirmGroups}</code>: see <a href="/docs/guide/holders">Link holders</a>.</p>`
  return words && notice("neutral", text)
}

function linkedShares(state: DataState): Html | null {
  const byState = linksOf(state)
  const shares = (of: "tenements" | "of_companies") =>
    Object.keys(stateNames)
      .flatMap((state) => {
        const { linked = 0, [of]: whole = 0 } = byState[state] ?? {}
        const value = Math.round((linked / whole) * 1000) / 10
        return whole > 0 ? [{ label: state, value, href: `/explore/tenements?state=${state}` }] : []
      })
      .sort((one, other) => other.value - one.value)
  const ofAll = shares("tenements")
  if (ofAll.length === 0) return null
  const write = (share: number) => `${share}%`
  return html`<section class="panel" id="linked"><h2>Tenements linked to a company</h2>
${bars(ofAll, write, 100)}
<h3>Linked share of tenements held by a company</h3>
${bars(shares("of_companies"), write, 100)}
<p class="muted">By state. Private companies hold many tenements. An operator links further holders: see
<a href="/docs/guide/holders">Link holders</a>.</p></section>`
}

const tryIt = (publicUrl: string): Html =>
  html`<section class="panel"><h2>Try a request</h2>
${copyable("try", `curl -H "Authorization: Bearer ${tokenPlaceholder}" "${publicUrl}/api/v1/companies?sort=market_cap&order=desc&per_page=5"`)}
<p class="muted">The five largest companies. ${tokenSentence} The <a href="/docs">documentation</a> has the other requests.</p></section>`

function loads({ release, loads: made, sources, refusals }: DataState, nowMs: number): Html {
  const published = new Date(release.publishedAt * 1000).toISOString()
  return html`<section class="stack"><h2>Where the data comes from</h2>
<p class="muted">Release ${release.id} was published on ${timeElement(published)},
${relative(Date.parse(published), nowMs)}. <a href="/explore/changes">What changed</a>.
Each load that changes data publishes a release. The API lists the sources at <code>/api/v1/sources</code>.</p>
${table<ResourceRecord>({
  caption: "Sources",
  rows: sources,
  empty: "No source has been loaded.",
  columns: [
    { head: "Source", cell: sourceName },
    { head: "Records", cell: integerCell("records"), number: true },
    { head: "Missing from last file", cell: toMissing, number: true },
    { head: "Rows rejected", cell: integerCell("rejected"), number: true },
    { head: "Release", cell: toChanges, number: true },
    { head: "Loaded", cell: loaded(refusals, nowMs), fixed: true },
    { head: "Data as of", cell: dataAsOf, fixed: true },
    { head: "Files", cell: (source) => orDash(fileNames(source, made)), wide: true },
  ],
})}
${terms(sources)}</section>`
}

/** The release that last changed the records, as a link to its changes. */
const toChanges = ({ last_release }: ResourceRecord): Content =>
  typeof last_release === "number" &&
  html`<a href="${linksAt(String(last_release))("/changes", [["since", String(last_release - 1)]])}">${number(last_release)}</a>`

/** The number of missing records, as a link to them. */
const toMissing = (source: ResourceRecord): Content => {
  const figure = integerCell("missing")(source)
  const state = stateOf(source)
  const list = withQuery(`/explore/changes/${source.resource}`, state ? [["state", state]] : [])
  return source.missing ? html`<a href="${list}#missing">${figure}</a>` : figure
}

/** The code of the state in which the name of a source ends, if it does. */
function stateOf({ source }: ResourceRecord): string | undefined {
  const code = String(source).split("-").at(-1)?.toUpperCase() ?? ""
  return code in stateNames ? code : undefined
}

/** The name with the kind of its records and, where the name ends in a state, the state. */
function sourceName(record: ResourceRecord): Html {
  const { source, resource } = record
  const kind = resource === "reports" ? "announcements" : String(resource).replaceAll("_", " ")
  const state = stateNames[stateOf(record) ?? ""]
  return html`<code>${String(source)}</code> <div class="muted small">${sentenceCase(kind)}${state && ` of ${state}`}</div>`
}

const failures: Readonly<Record<string, string>> = {
  refused: "later load refused",
  failed: "later fetch failed",
}

/** The time of the last successful load, its age, and why a later one failed. */
const loaded =
  (refusals: DataState["refusals"], nowMs: number) =>
  (source: ResourceRecord): Content => {
    const failure = failures[String(source.last_outcome)]
    const refusal = refusals.get(String(source.source))
    const age = relative(Date.parse(String(source.last_loaded_at)), nowMs)
    return [
      html`${day("last_loaded_at")(source)} <div class="muted small">${age}</div>`,
      failure && html` ${statusBadge(failure, "bad")}`,
      refusal && html` <div class="muted small">${refusal}</div>`,
    ]
  }

const dataAsOf = (source: ResourceRecord): Content =>
  source.last_observed_at === null ? "unknown" : day("last_observed_at")(source)

/** The terms of the publishers, once for the sources that share them. */
function terms(sources: readonly ResourceRecord[]): Content {
  return [...Map.groupBy(sources, termsOf)].map(([text, group]) => {
    // Without terms.
    if (text === "") return null
    const names = group.map(
      ({ source }, index) => html`${index > 0 && ", "}<code>${String(source)}</code>`,
    )
    return html`<p class="muted small">${names}: ${text}</p>`
  })
}

const termsOf = ({ licence, attribution }: ResourceRecord): string =>
  licence === null
    ? String(attribution ?? "")
    : `${attribution === null ? "" : `${String(attribution).replace(/\.$/, "")}. `}Licence: ${licence}`

const maxFiles = 3

/** Of the latest load with changes, the first names: a source may have hundreds of files. */
function fileNames({ source }: ResourceRecord, made: readonly SourceLoad[]): string {
  const files = made.find((load) => load.source === source)?.files ?? []
  const names = files.slice(0, maxFiles)
  const more = files.length - names.length
  return more > 0 ? `${names.join(", ")} and ${number(more)} more` : names.join(", ")
}
