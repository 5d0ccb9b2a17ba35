/** Records by their values: as bars that are links, and as the choices of a filter. */
import type { Group } from "../../../db/reader/breakdown.ts"
import { fold, splitValues } from "../../../text/fold.ts"
import { nearestName } from "../../../text/nearest-name.ts"
import { bars, type Choice } from "../../kit/components.ts"
import { number } from "../../kit/format.ts"
import { type Html, html } from "../../kit/html.ts"
import type { Groups } from "../visit.ts"
import { type AskedList, filtersSet } from "./list-address.ts"
import { countedFields, type FilterField, type ListView } from "./list-view.ts"

/** More bars than these would hide the list below them. */
const mostBars = 10

/**
 * The counted filters of a view, each with a bar for each value.
 * @param linkTo the records that have a value
 * @param isPart whether they are below a heading of their own rank
 */
export const countedPanels = (
  view: ListView,
  groups: Groups,
  linkTo: (filter: string, value: string) => string,
  isPart = false,
): Html[] =>
  view.filters
    .filter(({ valuesOf }) => valuesOf)
    .map((filter) => {
      const title = `By ${filter.label.toLowerCase()}`
      const values = groups && tallyOf(view, filter, groups)
      const [only, second] = values ?? []
      if (isPart && only?.value && second === undefined) {
        const { value, records } = only
        return html`<p>${filter.label}: <a href="${linkTo(filter.name, value)}">${value}</a> (${number(records)})</p>`
      }
      return html`<section class="counted">${isPart ? html`<h3>${title}</h3>` : html`<h2>${title}</h2>`}${countedBars(values, (value) => linkTo(filter.name, value))}</section>`
    })

function countedBars(all: readonly Tally[] | null, linkTo: (value: string) => string): Html {
  if (all === null) {
    return html`<p class="muted">Not counted: it would take too long, or there are too many values.</p>`
  }
  if (all.length === 0) return html`<p class="muted">Nothing to count.</p>`
  const shown = all.length > mostBars + 1 ? all.slice(0, mostBars) : all
  const others = all.length - shown.length
  const rows = shown.map(({ value, records }) => ({
    label: value ?? "unknown",
    value: records,
    ...(value && { href: linkTo(value) }),
  }))
  return html`${bars(rows, number)}${others > 0 && html`<p class="muted small">and ${number(others)} more</p>`}`
}

/** More are better typed than looked for. */
const mostChoices = 200

/**
 * The values to choose from, unless a person types the value.
 * @param groups of the whole list, without filters
 */
export function choicesOf(
  view: ListView,
  filter: FilterField,
  groups: Groups,
): readonly Choice[] | undefined {
  if (filter.choices || !filter.valuesOf || !groups) return filter.choices
  const values = valuesIn(view, filter, groups)
  if (values.length > mostChoices || values.some((value) => value.length > 200)) return undefined
  return values.sort(byName.compare).map((value) => ({ value, label: value }))
}

const byName = new Intl.Collator("en-AU")

/**
 * For each filter whose value no record has: the nearest value that one has.
 * @param groups of the whole list, without filters
 */
export const nearestValues = (list: AskedList, groups: Groups) =>
  filtersSet(list).flatMap(({ value, ...filter }) => {
    if (filter.valuesOf === undefined || groups === null) return []
    const known = valuesIn(list.view, filter, groups)
    if (known.some((each) => fold(each) === fold(value))) return []
    const nearest = nearestName(value, known)
    return nearest === undefined ? [] : [{ ...filter, value, nearest }]
  })

const valuesIn = (view: ListView, filter: Counted, groups: readonly Group[]): string[] =>
  tallyOf(view, filter, groups).flatMap(({ value }) => value || [])

type Counted = Pick<FilterField, "valuesOf" | "isList">

const tallyOf = (
  view: ListView,
  { valuesOf = "", isList }: Counted,
  groups: readonly Group[],
): Tally[] => tally(groups, countedFields(view).indexOf(valuesOf), isList)

export interface Tally {
  /** As its records have it: of several spellings the most frequent; null where it is unknown. */
  value: string | null
  records: number
}

/**
 * Most records first. Spellings that a filter takes as equal count together.
 * @param index of the field in the groups
 * @param isList whether the field lists several values as `A; B`, each of which counts
 */
export function tally(groups: readonly Group[], index: number, isList = false): Tally[] {
  const counted = groups.flatMap(({ values, records }) =>
    valuesOf(values[index], isList).map((value) => ({ value, records })),
  )
  const bySpelling = sums(counted, (value) => value)
  return sums(bySpelling, (value) => (value === null ? null : fold(value)))
}

/** The sums of tallies whose values have the same key, each under its most frequent value. */
function sums(tallies: readonly Tally[], keyOf: (value: string | null) => string | null): Tally[] {
  const groups = Map.groupBy(tallies, ({ value }) => keyOf(value))
  return [...groups.values()]
    .map((equal) => ({
      value: equal[0]?.value ?? null,
      records: equal.reduce((sum, { records }) => sum + records, 0),
    }))
    .sort(byRecords)
}

/** Each once, as a record counts once however often it names a value. */
function valuesOf(value: Group["values"][number] | undefined, isList: boolean): (string | null)[] {
  if (value === null || value === undefined) return [null]
  const values = isList ? splitValues(String(value)) : []
  if (values.length === 0) return [String(value)]
  return [...new Map(values.map((each) => [fold(each), each])).values()]
}

const byRecords = (one: Tally, other: Tally): number =>
  other.records - one.records || ((one.value ?? "") < (other.value ?? "") ? -1 : 1)
