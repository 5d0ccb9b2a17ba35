/** Page arithmetic and what a list says of its pages. */
import { encodeQuery } from "./query-string.ts"

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

/** Rows before the page. Past 2^53 no table reaches, and the number would not be exact. */
export const offsetOf = (page: number, perPage: number): number =>
  Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER)

/**
 * The `Link` header (RFC 8288) of a page: first, prev, next and last, as far as they exist. From past
 * the last page, prev leads back to the last.
 * @param given the caller's parameters, without secrets
 */
export function linkHeader(
  path: string,
  given: readonly (readonly [name: string, value: string])[],
  { page, total_pages }: PageMeta,
): string {
  const link = (relation: string, target: number) => {
    const others = given.filter(([name]) => name !== "page")
    return `<${path}?${encodeQuery([...others, ["page", String(target)]])}>; rel="${relation}"`
  }
  const links = [link("first", 1)]
  if (page > 1 && total_pages > 0) links.push(link("prev", Math.min(page - 1, total_pages)))
  if (page < total_pages) links.push(link("next", page + 1))
  if (total_pages > 0) links.push(link("last", total_pages))
  return links.join(", ")
}
