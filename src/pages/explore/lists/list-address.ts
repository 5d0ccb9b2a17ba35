/** The address of a list in the explorer: every view has one that can be shared. */
import { paging } from "../../../answers/list-endpoint.ts"
import { type CanonicalQuery, decodeQuery, queryText } from "../../../http/query-string.ts"
import { type Changes, type ListView, pathWith, type RecordLinks } from "./list-view.ts"

/** A list as a person asked for it. */
export interface AskedList {
  view: ListView
  /** Of the company that it belongs to; empty for others. */
  code: string
  /** What was sent, without what was left empty. */
  sent: CanonicalQuery
}

/** The parameters of the pages; those of the API that change a representation have no sense here. */
export const pageParameters = ({ endpoint, filters }: ListView) =>
  Object.fromEntries(
    Object.entries(endpoint.parameters).filter(
      ([name]) =>
        name in paging ||
        ["sort", "order", "as_of"].includes(name) ||
        filters.some((filter) => filter.name === name),
    ),
  )

/** The query without the fields of a form that were left empty; null where there are none. */
export function withoutEmpty(query: string): string | null {
  const pairs = query.split("&").filter((pair) => pair !== "")
  const filled = pairs.filter((pair) => !/^[^=]+=$/.test(pair))
  return filled.length === pairs.length ? null : filled.join("&")
}

/** Without what the API accepts everywhere: no link may carry a token. */
export const sentQuery = (query: string): CanonicalQuery =>
  decodeQuery(query).filter(([name]) => name !== "api_key" && name !== "_")

export const sentValue = ({ sent }: AskedList, name: string): string | undefined =>
  sent.find(([each]) => each === name)?.[1]

/** The filters that have a value, each with its part of the sentence. */
export const filtersSet = (list: AskedList) =>
  list.view.filters.flatMap((filter) => {
    const value = sentValue(list, filter.name)
    if (value === undefined) return []
    return [{ ...filter, value, words: filter.words(value, (name) => sentValue(list, name)) }]
  })

/**
 * The address of the same list with other parameters. It begins at page 1 unless a page is given.
 * @param changes null removes a parameter
 */
export function addressWith({ view, code, sent }: AskedList, changes: Changes): string {
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
