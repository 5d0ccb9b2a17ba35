/** What a list shows, in words. */
import type { Release } from "../../../db/reader/releases.ts"
import { count, instant, number } from "../../kit/format.ts"
import { type Content, html } from "../../kit/html.ts"
import type { Groups, ShownPage } from "../visit.ts"
import { nearestValues } from "./counted-values.ts"
import { type AskedList, addressWith, filtersSet, sentValue } from "./list-address.ts"

/** `2,524 tenements in Western Australia held by names containing “gold”, at release 214` */
export function sentenceOf(list: AskedList, { meta, release }: ShownPage): string {
  // What was searched for comes last: it may be long.
  const filters = filtersSet(list).toSorted(
    (one, other) => Number(one.wide ?? 0) - Number(other.wide ?? 0),
  )
  const words = [
    count(meta.total, ...list.view.noun),
    ...(list.code === "" ? [] : [`of ${list.code.toUpperCase()}`]),
    ...filters.map(({ words, value }) => words(value)),
  ]
  return `${words.join(" ")}, at release ${number(release.id)}`
}

/** Says that a past state is shown, and leads to the present. */
export function pastNotice({ id, publishedAt }: Release, asOf: string, present: string) {
  const release = id
    ? html`release ${number(id)}, published ${instant(new Date(publishedAt * 1000).toISOString())}`
    : "before the first release"
  return html`<div class="notice waiting"><p>You see the data as of ${asOf}: ${release}. <a href="${present}">Show the present</a></p></div>`
}

/** Later pages stay on the release that page 1 showed, so that no record is missed or shown twice. */
export function newerNotice(
  list: AskedList,
  { release }: ShownPage,
  newest: Pick<Release, "id"> | null,
): Content {
  if (newest === null || newest.id <= release.id || sentValue(list, "as_of") !== undefined) {
    return null
  }
  return html`<div class="notice waiting"><p>Release ${number(newest.id)} was published since you opened page 1. This list stays at release ${number(release.id)} until you begin again. <a href="${addressWith(list, {})}">Begin again at page 1</a></p></div>`
}

/**
 * In place of a table without rows: what happened, and what to do.
 * @param groups of the whole list, from which misspelled values are corrected
 */
export function emptyWords(list: AskedList, { meta, release }: ShownPage, groups: Groups): Content {
  const [singular, plural] = list.view.noun
  if (meta.total > 0) {
    const last = String(meta.total_pages)
    return html`There is no page ${number(meta.page)}: the list ends at page ${number(meta.total_pages)}. <a href="${addressWith(list, { page: last })}">Go to the last page</a>`
  }
  const filters = filtersSet(list)
  if (filters.length === 0) return `There are no ${plural} at release ${number(release.id)}.`
  const misspelled = nearestValues(list, groups).map(
    ({ name, value, nearest, words }) =>
      html`There is no ${singular} ${words(value)}. Did you mean <a href="${addressWith(list, { [name]: nearest })}">${nearest}</a>? `,
  )
  const cleared = Object.fromEntries(filters.map(({ name }) => [name, null]))
  return html`${misspelled.length > 0 ? misspelled : `No ${singular} matches. `}Remove a filter, or <a href="${addressWith(list, cleared)}">show all ${plural}</a>.`
}
