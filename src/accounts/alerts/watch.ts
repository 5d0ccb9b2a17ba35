/**
 * The subject and the channel of a watch. A subject is a stored question to the API: its path is that of a
 * request, without `/api/v1`, and the API's own parser checks it.
 */
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  type Pair,
} from "../../api/http/query-string.ts"
import { askSentList } from "../../api/responses/ask.ts"
import { asOf, pathWith } from "../../api/responses/endpoint.ts"
import {
  askRecord,
  type ListQuestion,
  notOfTheList,
  type RecordQuestion,
} from "../../api/responses/question.ts"
import { endpoints } from "../../api/routes/endpoints.ts"
import { type mailTimes, maxExpiryDays, type reportKinds } from "../../data/db/alert-tables.ts"
import { tenements } from "../../data/resources/tenements.ts"
import { AccountError } from "../access/change.ts"

export type ReportKind = (typeof reportKinds)[number]

/** Parts of a subject contradict one another. */
export class ContradictionError extends AccountError {}

/** Paths are canonical: `/tenements?state=WA`. */
export type Subject =
  | { kind: "list"; path: string; reports: ReportKind }
  | { kind: "expiry"; path: string; days: number }
  | { kind: "record"; path: string }
  | { kind: "releases" }

export type Channel =
  | { kind: "webhook"; url: string }
  | { kind: "mail"; when: (typeof mailTimes)[number] }

export interface GivenSubject {
  /** The path of a list, with its filters. */
  list?: string | undefined
  /** Of a list of tenements: the number of days before expiry. */
  expiring?: number | undefined
  report?: ReportKind | undefined
  /** The path of a record. */
  record?: string | undefined
  releases?: boolean | undefined
}

const notWatched = ["sort", "order", ...notOfTheList]
const notOfExpiry = ["changed", "expires_from", "expires_to"]

/**
 * Checks a subject. It drops parameters that choose a part, an order, a format or a point in time.
 * @throws AccountError for another path than that of a list or a record; ApiError as the API does
 */
export function subjectOf({ list, expiring, report, record, releases }: GivenSubject): Subject {
  const [path, ...others] = [list, record].filter((each) => each !== undefined)
  if (others.length > 0 || (path === undefined) !== (releases === true)) {
    throw new ContradictionError("A watch has one subject: a list, a record or every release")
  }
  if (list === undefined && (expiring !== undefined || report !== undefined)) {
    throw new ContradictionError("Only a list has days before expiry, or kinds of change")
  }
  if (path === undefined) return { kind: "releases" }
  if (record !== undefined) {
    const without = pathWithout(path, ...Object.keys(asOf), "fields", "format")
    const { resource, key } = askWatchedRecord(without)
    return { kind: "record", path: `/${resource.name}/${encodeURIComponent(key)}` }
  }
  if (expiring === undefined) {
    return { kind: "list", path: canonicalList(path), reports: report ?? "both" }
  }
  if (report !== undefined) {
    throw new ContradictionError("A watch of expiry dates reports no kinds of change")
  }
  if (!Number.isInteger(expiring) || expiring < 1 || expiring > maxExpiryDays) {
    throw new AccountError(`The days before expiry must be an integer from 1 to ${maxExpiryDays}`)
  }
  const tenementsPath = canonicalList(path, notOfExpiry)
  if (askWatched(tenementsPath).resource.name !== tenements.name) {
    throw new AccountError("Only tenements have expiry dates: give a list of tenements")
  }
  return { kind: "expiry", path: tenementsPath, days: expiring }
}

/** Asks the API for the list at a path. @throws AccountError, ApiError */
export function askWatched(path: string): ListQuestion {
  const { endpoint, key, place, query } = found(path)
  if (endpoint.kind === "list" && endpoint.resource.history !== null) {
    return askSentList(endpoint, { query: encodeQuery(query), accepted: ["json"] }, key)
  }
  throw new AccountError(`Not a list that can be watched: ${place}`)
}

/** Asks the API for the record at a path. @throws AccountError, ApiError */
export function askWatchedRecord(path: string): RecordQuestion {
  const { endpoint, key, query } = found(path)
  if (endpoint.kind === "record" && query.length === 0) return askRecord(endpoint, {}, key)
  throw new AccountError(`Not the path of a record: ${path}`)
}

/** The path with further parameters. */
export const pathWithQuery = (path: string, ...further: readonly Pair[]): string => {
  const { place, query } = splitPath(path)
  const text = encodeQuery([...query, ...further])
  return text === "" ? place : `${place}?${text}`
}

/** The path without the parameters of these names. */
export const pathWithout = (path: string, ...names: readonly string[]): string => {
  const { place, query } = splitPath(path)
  return pathWithQuery(place, ...query.filter(([name]) => !names.includes(name)))
}

/** The place of a path, with or without `/api/v1`, and its query. */
export function splitPath(path: string) {
  const [, place = "", query = ""] = /^(?:\/api\/v1(?=\/))?([^?]*)\??(.*)$/s.exec(path) ?? []
  return { place, query: decodeQuery(query) }
}

const patterns = endpoints.map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/:\w+/, "([^/]+)")}$`),
}))

function found(path: string) {
  const { place, query } = splitPath(path)
  for (const { endpoint, pattern } of patterns) {
    const match = pattern.exec(place)
    const key = match && decodeComponent(match[1] ?? "")
    if (key != null) return { endpoint, key, place, query }
  }
  throw new AccountError(`Not a path of the API: ${place}`)
}

/** A list by its filters that differ from their defaults, each in one spelling, and its company in upper case. */
function canonicalList(path: string, others: readonly string[] = []): string {
  const given = pathWithout(path, ...notWatched, ...others)
  // The filter `changed` needs a release to compare with.
  const { endpoint, list, canonical } = askWatched(pathWithQuery(given, ["updated_since", "0"]))
  const filters = canonical.filter(([name]) => !notWatched.includes(name))
  return pathWithQuery(pathWith(endpoint.path, list.parent?.key ?? ""), ...filters)
}
