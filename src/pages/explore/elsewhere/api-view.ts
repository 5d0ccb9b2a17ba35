/** What a page shows, as the API answers it. */
import { type CanonicalQuery, queryText } from "../../../http/canonical-query.ts"
import type { Readable } from "../../../resources/resource.ts"

export interface ApiView {
  /** The service's public address, without a slash at its end. */
  baseUrl: string
  /** Under it, from `/api/v1` on. */
  path: string
  /** Without what the API sets by itself. */
  query: CanonicalQuery
  resource: Readable
  /** Lists have the formats that spreadsheets read. */
  kind: "list" | "record"
}

/** The address of exactly what is shown: of a list, the page. */
export function addressOf({ baseUrl, path, query }: ApiView): string {
  // These a URL may have, but not the text of a shell or a program.
  const text = queryText(query).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${baseUrl}${path}${text && `?${text}`}`
}

/** The query for every record of the list in one response, for programs that read CSV. */
export const exportQuery = ({ query }: ApiView, added: CanonicalQuery = []): CanonicalQuery => [
  ...query.filter(([name]) => name !== "page" && name !== "per_page"),
  ["format", "csv"],
  ["all", "true"],
  ...added,
]

export const exportAddress = (view: ApiView, added: CanonicalQuery = []): string =>
  addressOf({ ...view, query: exportQuery(view, added) })

/**
 * For programs that never run text as a formula: the apostrophe that keeps spreadsheets from doing so
 * would be a part of it.
 */
export const unguarded: CanonicalQuery = [["formula_guard", "false"]]
