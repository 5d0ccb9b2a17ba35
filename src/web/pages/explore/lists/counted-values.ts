/** Records by their values: as bars that are links, and as the choices of a filter. */
import type { Readable } from "../../../../data/resources/resource.ts"
import { fold } from "../../../../system/text/fold.ts"
import { mostSimilar, nearestName } from "../../../../system/text/nearest-name.ts"
import { bars, type Choice } from "../../kit/components.ts"
import { count, number } from "../../kit/format.ts"
import { type Html, html } from "../../kit/html.ts"
import type { Facets, Values } from "../visit.ts"
import { filtersSet, pageParameters, type RequestedList } from "./list-address.ts"
import { type Changes, countedOf, type ListView } from "./list-view.ts"

/** More bars would hide the list below them. */
const mostBars = 10

/**
 * The counted filters of a view, each with a bar for each value.
 * @param linkTo the records with a value
 * @param isPart whether a heading of the same level is above them
 */
export const countedPanels = (
  view: ListView,
  facets: Facets,
  linkTo: (filter: string, value: string) => string,
  isPart = false,
): Html[] =>
  countedOf(view).map(({ name, label }) => {
    const { counts } = view.endpoint
    // The holders' list counts tenements.
    const title = `By ${inSentence(label)}${counts ? `, ${counts.name}` : ""}`
    const values = facets[name] ?? null
    const unknown = name === "company" ? "no linked company" : "unknown"
    return html`<section class="counted">${isPart ? html`<h3>${title}</h3>` : html`<h2>${title}</h2>`}
${countedBars(values, unknown, (value) => linkTo(name, value))}</section>`
  })

function countedBars(all: Values, unknown: string, linkTo: (value: string) => string): Html {
  if (all === null) {
    return html`<p class="muted">Not counted: it would take too long, or there are too many values.</p>`
  }
  if (all.length === 0) return html`<p class="muted">All: ${unknown}.</p>`
  const shown = all.length > mostBars + 1 ? all.slice(0, mostBars) : all
  const others = all.length - shown.length
  const rows = shown.map(({ value, count }) => ({
    label: value ?? unknown,
    value: count,
    ...(value && { href: linkTo(value) }),
  }))
  return html`${bars(rows, number)}${others > 0 && html`<p class="muted small">and ${number(others)} more</p>`}`
}

/** More choices would make a page large. */
const mostChoices = 1_000
/** The longest text of any filter. */
const longestValue = 200

/** The choices, most frequent first, each with its count. @param counts the counted records, if not those of the list */
export const choicesOf = (values: Values, counts?: Readable): Choice[] =>
  knownValues(values)
    .filter(({ value }) => value.length <= longestValue)
    .slice(0, mostChoices)
    .map(({ value, count: of }) => {
      const words = counts ? count(of, counts.singular, counts.name) : number(of)
      return { value, label: `${value} (${words})` }
    })

interface Suggestion {
  label: string
  changes: Changes
}

/**
 * The filters whose value no record has, each with suggestions: the nearest value that records have, and
 * another filter that takes the value.
 * @param unfiltered the values of the list without filters
 */
export const unknownValues = (list: RequestedList, unfiltered: Facets) =>
  filtersSet(list).flatMap(({ name, value, words }) => {
    const known = namesOf(unfiltered[name])
    const isEnumerated = pageParameters(list.view)[name]?.enum !== undefined
    if (known.length === 0 || isEnumerated || known.some((each) => fold(each) === fold(value)))
      return []
    const nearest = nearestName(value, known) ?? mostSimilar(value, known)
    const suggestions: Suggestion[] = nearest
      ? [{ label: nearest, changes: { [name]: nearest } }]
      : []
    for (const other of countedOf(list.view)) {
      const equal = namesOf(unfiltered[other.name]).find((each) => fold(each) === fold(value))
      if (equal === undefined) continue
      const label = `${inSentence(other.label)} ${equal}`
      suggestions.push({ label, changes: { [name]: null, [other.name]: equal } })
    }
    return suggestions.length === 0 ? [] : [{ words, suggestions }]
  })

/** `ASX type` stays as it is. */
const inSentence = (label: string): string =>
  label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())

const namesOf = (values: Values = null) => knownValues(values).map(({ value }) => value)

const knownValues = (values: Values) =>
  (values ?? []).flatMap(({ value, count }) => (value ? [{ value, count }] : []))
