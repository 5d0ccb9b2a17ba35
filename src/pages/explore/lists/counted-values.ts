/** Records by their values: as bars that are links, and as the choices of a filter. */
import type { Group } from "../../../db/reader/breakdown.ts"
import { fold } from "../../../text/fold.ts"
import { nearestName } from "../../../text/nearest-name.ts"
import { bars, type Choice } from "../../kit/components.ts"
import { number } from "../../kit/format.ts"
import { type Html, html } from "../../kit/html.ts"
import { type Tally, tally } from "../reading/tally.ts"
import type { Choices } from "./filter-form.ts"
import { type AskedList, filtersSet } from "./list-address.ts"
import { type CountedField, countedFields, type ListView } from "./list-view.ts"

/** Of the groups of a view's counted fields; null where they are not available. */
export type Groups = readonly Group[] | null

/** More bars than these would hide the list below them. */
const mostBars = 10

/**
 * @param linkTo the records that have a value
 * @param isPart whether it is below a heading of its own rank
 */
export function countedPanel(
  view: ListView,
  counted: CountedField,
  groups: Groups,
  linkTo: (filter: string, value: string) => string,
  isPart = false,
): Html {
  const { filter } = counted
  const heading = isPart ? html`<h3>${counted.title}</h3>` : html`<h2>${counted.title}</h2>`
  if (groups === null) {
    return panel(
      heading,
      html`<p class="muted">Not counted: it would take too long, or there are too many values.</p>`,
    )
  }
  const all = tallyOf(view, counted.field, groups)
  if (all.length === 0) return panel(heading, html`<p class="muted">Nothing to count.</p>`)
  const shown = all.length > mostBars + 1 ? all.slice(0, mostBars) : all
  const others = all.slice(shown.length)
  return panel(
    heading,
    html`${bars(
      shown.map(({ value, records }) => ({
        label: value ?? "unknown",
        value: records,
        ...(value !== null && value !== "" && { href: linkTo(filter, value) }),
      })),
      number,
    )}${others.length > 0 && html`<p class="muted small">and ${number(others.length)} more</p>`}`,
  )
}

const panel = (heading: Html, content: Html): Html =>
  html`<section class="counted">${heading}${content}</section>`

/** More are better typed than looked for. */
const mostChoices = 200

/** @param groups of the whole list, without filters */
export function choicesOf(view: ListView, groups: Groups): Choices {
  const choices = new Map<string, readonly Choice[]>()
  for (const { name, choices: fixed, valuesOf } of view.filters) {
    const values = valuesOf && groups ? valueChoices(view, valuesOf, groups) : undefined
    const found = fixed ?? values
    if (found) choices.set(name, found)
  }
  return choices
}

function valueChoices(view: ListView, field: string, groups: readonly Group[]) {
  const values = valuesIn(view, field, groups)
  if (values.length > mostChoices || values.some((value) => value.length > 200)) return undefined
  return values.sort(byName.compare).map((value): Choice => ({ value, label: value }))
}

/**
 * For each filter whose value no record has: the nearest value that one has.
 * @param groups of the whole list, without filters
 */
export const nearestValues = (list: AskedList, groups: Groups) =>
  filtersSet(list).flatMap(({ name, value, valuesOf, words }) => {
    if (valuesOf === undefined || groups === null) return []
    const known = valuesIn(list.view, valuesOf, groups)
    if (known.some((each) => fold(each) === fold(value))) return []
    const nearest = nearestName(value, known)
    return nearest === undefined ? [] : [{ name, nearest, words: words(value) }]
  })

const valuesIn = (view: ListView, field: string, groups: readonly Group[]): string[] =>
  tallyOf(view, field, groups).flatMap(({ value }) => value || [])

const byName = new Intl.Collator("en-AU")

function tallyOf(view: ListView, field: string, groups: readonly Group[]): Tally[] {
  const isList = view.counted.some((each) => each.field === field && each.isList)
  return tally(groups, countedFields(view).indexOf(field), isList)
}
