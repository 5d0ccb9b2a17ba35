/** The link to a new watch, its subject in the words of the explorer, and the pages that show its changes. */
import type { EventPeriod } from "../../../../accounts/alerts/events.ts"
import { type Subject, splitPath } from "../../../../accounts/alerts/watch.ts"
import type { CanonicalQuery, Pair } from "../../../../api/http/query-string.ts"
import { kindsOfChange } from "../../../../data/resources/explained.ts"
import { tenements } from "../../../../data/resources/tenements.ts"
import { daysAfter } from "../../../../system/text/calendar-date.ts"
import { sentenceCase } from "../../../../system/text/display.ts"
import { type Html, html } from "../../kit/html.ts"
import { kindLabels } from "../kinds-of-change.ts"
import { filtersOf, filtersSet, type RequestedList, sentValue, withQuery } from "./list-address.ts"
import { titleOfView } from "./list-view.ts"
import { listViews } from "./views.ts"

export const newWatchPath = "/account/watches/new"

/**
 * The page that makes a watch.
 * @param path of the API, with the filters of a list: `/tenements?state=WA`
 * @param chosen further fields of the form, as the person has chosen them
 */
export const newWatchOf = (path: string, chosen: Readonly<Record<string, string>> = {}): string =>
  `${newWatchPath}?${new URLSearchParams({ path, ...chosen })}`

/** @param of as of `newWatchOf` */
export const watchLink = (...of: Parameters<typeof newWatchOf>): Html =>
  html`<a class="button" href="${newWatchOf(...of)}">Watch</a>`

/** `Tenements in Western Australia with the status “granted”, 90 days before expiry` */
export function subjectWords(subject: Subject): string {
  if (subject.kind === "releases") return "Every release"
  if (subject.kind === "record") {
    const [, name = "", key = ""] = subject.path.split("/")
    const [singular] = requested(`/${name}`).view.noun
    return sentenceCase(`${singular} ${decodeURIComponent(key)}`)
  }
  const list = requested(subject.path)
  const { view, code, sent } = list
  const changed = sentValue(list, "changed")?.split(",").map(kindLabels(view))
  // The explorer lacks some filters of the API.
  const isInWords = (name: string) =>
    name === "changed" || view.filters.some((filter) => filter.name === name)
  return [
    [titleOfView(view, code), ...filtersSet(list).map(({ words }) => words)].join(" "),
    ...sent.flatMap(([name, value]) => (isInWords(name) ? [] : [`${name} ${value}`])),
    ...(changed ? [`only these changes: ${[...new Set(changed)].join(", ").toLowerCase()}`] : []),
    ...(subject.kind === "expiry"
      ? [`${subject.days} days before expiry`]
      : reported[subject.reports]),
  ].join(", ")
}

const reported = { both: [], changes: ["only changes"], removals: ["only removals"] }

/** The path of the page that shows a subject or, with a period, its changes in it. */
export function pageOfSubject(subject: Subject, period?: EventPeriod): string {
  const asOf: CanonicalQuery = period ? [["as_of", String(period.to.id)]] : []
  const between: CanonicalQuery = period ? [["since", String(period.covered.id)], ...asOf] : []
  if (subject.kind === "releases") return withQuery("/explore/changes", between)
  if (subject.kind === "record") return `/explore${subject.path}`
  const list = requested(subject.path)
  const page = `/explore${splitPath(subject.path).place}`
  const filters = filtersOf(list)
  if (!period) return withQuery(page, filters)
  if (subject.kind === "expiry") {
    const { coveredDay, day } = period
    const from: Pair = ["expires_from", coveredDay ?? day]
    return withQuery(page, [
      ...filters,
      from,
      ["expires_to", daysAfter(day, subject.days)],
      ...asOf,
    ])
  }
  const { name } = list.view.endpoint.resource
  const kinds = sentValue(list, "changed")
  const changed = { both: kinds && `${kinds},removed`, changes: kinds, removals: "removed" }
  const { [subject.reports]: shown } = changed
  const further: CanonicalQuery = [
    ...(list.code === "" ? [] : [["company", list.code] as const]),
    ...(shown === undefined ? [] : [["changed", shown] as const]),
  ]
  // Changes of other lists have no filter for a company.
  return list.code === "" || name === tenements.name
    ? withQuery(`/explore/changes/${name}`, [...filters, ...further, ...between])
    : withQuery(page, asOf)
}

/** The names of the changes of a list, by the kind that people choose. */
export function kindsOfList(path: string): ReadonlyMap<string, readonly string[]> {
  const { view } = requested(path)
  return Map.groupBy(kindsOfChange(view.endpoint.resource), kindLabels(view))
}

/** The explorer's list of a path of the API. */
function requested(path: string): RequestedList {
  const { place, query: sent } = splitPath(path)
  const [, first, key = "", last] = place.split("/")
  const pattern = last === undefined ? `/${first}` : `/${first}/:code/${last}`
  const view = listViews.find((each) => each.path === pattern)
  if (!view) throw new Error(`The explorer has no list ${place}`)
  return { view, code: decodeURIComponent(key), sent }
}
