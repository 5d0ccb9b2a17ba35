/** The URL of a list in the explorer: every view has one that people can share. */

import type { TProperties } from "@sinclair/typebox"
import { documentedSpelling } from "../../../../api/http/parameters.ts"
import { type CanonicalQuery, decodeQuery, queryText } from "../../../../api/http/query-string.ts"
import { paging, pathWith } from "../../../../api/responses/endpoint.ts"
import { fieldNames } from "../../../../data/resources/resource.ts"
import type { Changes, ListView, RecordLinks } from "./list-view.ts"
import { circleFrom } from "./places.ts"

/** A list as a person requested it. */
export interface RequestedList {
  view: ListView
  /** The code of the company of the list; empty for other lists. */
  code: string
  /** The query without empty parameters. */
  sent: CanonicalQuery
}

/** The parameters of the pages; the API's parameters of representation have no use here. */
export const pageParameters = ({ endpoint, filters }: ListView) =>
  Object.fromEntries(
    Object.entries(endpoint.parameters).filter(
      ([name]) =>
        name in paging ||
        ["sort", "order", "as_of", "fields"].includes(name) ||
        filters.some((filter) => filter.name === name),
    ),
  )

/** The query without the empty fields of a form, for addresses that people share. The columns that a person checked become one list. */
export const cleanQuery = (query: string): string =>
  query
    .split("&")
    .filter((pair) => !/^[^=]+=?$/.test(pair))
    .join("&")
    .replace(/(?<=\bfields=[^&]*)&fields=/g, ",")

/**
 * Without parameters that the API accepts everywhere: no link may contain a token. Circles and points in time are
 * written as the API reads them, enumerations and booleans as it documents them.
 */
export const sentQuery = (query: string, parameters: TProperties): CanonicalQuery =>
  decodeQuery(query)
    .filter(([name]) => name !== "api_key" && name !== "_")
    .map(([name, value]) => {
      if (name === "near") return [name, circleFrom(value)]
      if (name === "since" || name === "as_of") return [name, value.trim()]
      const { [name]: schema } = parameters
      return [name, schema ? documentedSpelling(schema, value) : value]
    })

export const sentValue = ({ sent }: RequestedList, name: string): string | undefined =>
  sent.find(([each]) => each === name)?.[1]

/** The query with the fields of its export: the chosen ones, or the API's with those that only the table has. */
export function exportQuery({ view, sent }: Pick<RequestedList, "view" | "sent">): CanonicalQuery {
  const { resource } = view.endpoint
  const asked = fieldNames(resource, "asked")
  const added = view.fields.flatMap(({ field = "", only }) =>
    asked.includes(field) && only !== "record" ? [field] : [],
  )
  if (added.length === 0 || sent.some(([name]) => name === "fields")) return sent
  return [...sent, ["fields", [...fieldNames(resource, "always"), ...added].join(",")]]
}

export const filtersOf = ({ view, sent }: RequestedList): CanonicalQuery =>
  sent.filter(([name]) => view.filters.some((filter) => filter.name === name))

/** The active filters, each with its part of the sentence. */
export const filtersSet = (list: RequestedList) =>
  list.view.filters.flatMap((filter) => {
    const value = sentValue(list, filter.name)
    if (value === undefined) return []
    return [{ ...filter, value, words: filter.words(value, (name) => sentValue(list, name)) }]
  })

/**
 * The URL of the same list with other parameters. It begins at page 1 unless a page is given.
 * @param changes null removes a parameter
 */
export function addressWith({ view, code, sent }: RequestedList, changes: Changes): string {
  const kept = sent.filter(([name]) => name !== "page" && !(name in changes))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return withQuery(`/explore${pathWith(view.path, code)}`, [...kept, ...added])
}

export const withQuery = (path: string, query: CanonicalQuery): string =>
  query.length === 0 ? path : `${path}?${queryText(query)}`

/** Links to other pages that keep the point in time. */
export const linksAt =
  (asOf: string | undefined): RecordLinks =>
  (path, query = []) =>
    withQuery(`/explore${path}`, asOf === undefined ? query : [...query, ["as_of", asOf]])

/** The same for the records of a list: a holder of the holders' list keeps its filters. */
export const linksOf = (list: RequestedList): RecordLinks => {
  const links = linksAt(sentValue(list, "as_of"))
  const isKept = (path: string) => list.view.key !== undefined && path.startsWith("/holders/")
  return (path, query = []) => links(path, isKept(path) ? [...filtersOf(list), ...query] : query)
}
