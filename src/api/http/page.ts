/** Page arithmetic, and the links from a page to its neighbours. */
import { encodeQuery, type Pair } from "./query-string.ts"

export interface PageMeta {
  total: number
  page: number
  per_page: number
  total_pages: number
}

export const pageMeta = (total: number, page: number, perPage: number): PageMeta => ({
  total,
  page,
  per_page: perPage,
  total_pages: Math.ceil(total / perPage),
})

/** Returns a page of a whole list. */
export const pageOf = <T>(
  all: Pick<readonly T[], "length" | "slice">,
  page: number,
  perPage: number,
) => {
  const offset = offsetOf(page, perPage)
  return { records: all.slice(offset, offset + perPage), meta: pageMeta(all.length, page, perPage) }
}

/** The number of rows before the page, capped at the largest exact integer. */
export const offsetOf = (page: number, perPage: number): number =>
  Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER)

/**
 * Returns the `Link` header (RFC 8288) of a page: those of first, prev, next and last that exist. Past the
 * last page, prev is the last page. A client that follows them stays on the shown release; first begins anew.
 * @param given the caller's parameters, without secrets
 * @param release the number of the shown release; undefined if the list belongs to none
 */
export function linkHeader(
  path: string,
  given: readonly Pair[],
  { page, total_pages }: PageMeta,
  release: string | undefined,
): string {
  const others = given.filter(([name]) => name !== "page" && name !== "as_of")
  const ofRelease: readonly Pair[] =
    release === undefined ? others : [...others, ["as_of", release]]
  const link = (relation: string, target: number, query = ofRelease) =>
    `<${path}?${encodeQuery([...query, ["page", String(target)]])}>; rel="${relation}"`
  const links = [link("first", 1, others)]
  if (page > 1 && total_pages > 0) links.push(link("prev", Math.min(page - 1, total_pages)))
  if (page < total_pages) links.push(link("next", page + 1))
  if (total_pages > 0) links.push(link("last", total_pages))
  return links.join(", ")
}

/** Adds `_`, which distinguishes page sequences, to the links. */
export const withCacheBuster = (links: string, value: string): string =>
  links.replaceAll(">;", `&_=${encodeURIComponent(value)}>;`)
