/**
 * Parses and validates a list request into a plan. Pure: it uses neither the database nor the clock.
 */
import type { Static, TObject } from "@sinclair/typebox"
import { type CacheSizes, createCache } from "../db/cache.ts"
import type { List } from "../db/reader/statements.ts"
import { ApiError, type Fault } from "../http/api-error.ts"
import {
  alternativesText,
  delimitedFormats,
  exportFormats,
  type Format,
  representations,
} from "../http/formats.ts"
import { preferredFormats } from "../http/negotiation.ts"
import {
  type CrossCheck,
  cacheBuster,
  type ParameterValue,
  readParameters,
  typed,
} from "../http/parameters.ts"
import { type CanonicalQuery, canonicalQuery, queryText } from "../http/query-string.ts"
import { countedFilters } from "../resources/facets.ts"
import { complete, filterOf, orderOf, type Readable } from "../resources/resource.ts"
import { digest } from "../text/digest.ts"
import type { Target } from "./asked.ts"
import {
  asOf,
  changes,
  type ListEndpoint,
  ordering,
  paging,
  recordKey,
  representation,
  selection,
} from "./list-endpoint.ts"

export interface ListPlan extends Given {
  /**
   * Excludes the releases that it compares with, which depend on the database. So only the resolver's list
   * has an identity and can be read.
   */
  list: Omit<List, "identity">
  /** Identifies the list, apart from the releases that it compares with. */
  identity: string
  /** The name of the filter whose values the response counts, if it counts any. */
  facet: string | undefined
  /** The resource of the response's records. */
  shown: Readable
  format: Format
  feed: ListEndpoint["feed"]
  ofNoRelease: ListEndpoint["ofNoRelease"]
  /** Identifies the response at a release, apart from its format: its entity tag comes from this. */
  tagKey: string
  /**
   * Identifies the response at a release, its headers included, by a text of fixed length. It differs from
   * `tagKey` because links name the format only if the client did.
   */
  answerKey: string
  /**
   * Whether the response can be cached by release. Comparisons can resolve to another release the next
   * time, pruning shortens lists of versions, and exports are too large.
   */
  cacheable: boolean
  /** Identifies the page sequence, by a text of fixed length. */
  sequenceKey: string
  path: string
  canonical: CanonicalQuery
  /** The value of `_`; empty without one. */
  cacheBuster: string
}

/** The parameters of every list beside its filters and its order. */
const common = { ...paging, ...representation, ...asOf, ...changes, ...selection }
type Given = Omit<Static<TObject<typeof common>>, "format">

/**
 * @param parent the key of the record that the list belongs to, as the path has it
 * @param preferred the formats where the query has none, the most preferred first
 * @throws ApiError INVALID_PARAMETER; NOT_FOUND for a parent that cannot exist
 */
export function planList(
  endpoint: ListEndpoint,
  { path, query, accept }: Target,
  parent: string,
  preferred = preferredFormats(accept, endpoint.formats),
): ListPlan {
  const { parameters, counts, resource } = endpoint
  if (counts && !countedFilters(counts).includes(parent)) throw new ApiError("NOT_FOUND")
  const values = readParameters(query, parameters, crossChecks(endpoint.formats, preferred))
  const given = typed(values, common)
  const { format = preferredOf(preferred, given.all) } = given
  const filters = filtersInUse(endpoint, values)
  const filterValues = Object.fromEntries(filters.map(({ name, value }) => [name, value]))
  const canonical = canonicalQuery({ ...values, ...filterValues }, parameters)
  // A facet shares its counts with the list that it counts.
  const listPath = counts ? path.replace(/facets\/(\w+)\/\w+$/, "$1") : path
  const list = toList(endpoint, values, filters, parent)
  const pages = `${path}?${queryText(canonical, ["page", "format"])}`
  const buster = cacheBuster(query)
  return {
    ...given,
    list,
    identity: digest(`${listPath}?${queryText(canonical, notOfTheList)}`),
    facet: counts && parent,
    shown: counts ? resource : list.resource,
    format,
    feed: endpoint.feed,
    ofNoRelease: endpoint.ofNoRelease,
    tagKey: `${path}?${queryText(canonical, ["format"])}`,
    cacheable:
      !given.all &&
      !endpoint.resource.pastVersions &&
      given.updated_since === undefined &&
      given.removed_since === undefined,
    answerKey: digest(`${format} ${path}?${queryText(canonical)}`),
    sequenceKey: digest(`${pages} ${format} ${buster}`),
    path,
    canonical,
    cacheBuster: buster,
  }
}

/** Parameters that choose a part, fields, a release or a representation leave the list itself as it is. */
const notOfTheList = Object.keys(common)

type Values = Readonly<Record<string, unknown>>

const isValue = (value: unknown): value is ParameterValue =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** The filters with a value, each with its canonical value. */
const filtersInUse = ({ resource, filters }: ListEndpoint, values: Values) =>
  filters.flatMap((name) => {
    const filter = filterOf(resource, name)
    const value = values[name]
    return isValue(value) ? [{ name, filter, value: filter.canonical(value) }] : []
  })

function toList(
  { resource: shown, counts: resource = shown, belongsTo }: ListEndpoint,
  values: Values,
  filters: ReturnType<typeof filtersInUse>,
  parent: string,
): ListPlan["list"] {
  const { sort, order } = typed({ order: "asc", ...values }, ordering)
  return {
    resource: values.fields === undefined ? resource : complete(resource),
    filters: filters.map(({ name }) => name),
    byScan: filters
      .filter(({ filter, value }) => filter.byScan?.isNeededFor(value))
      .map(({ name }) => name),
    order: orderOf(resource, sort, order),
    updated: values.updated_since !== undefined,
    removed: values.removed_since !== undefined,
    bound: Object.fromEntries(filters.map(({ name, filter, value }) => [name, filter.bind(value)])),
    parent: belongsTo && { ...belongsTo, key: recordKey(belongsTo.resource, parent) },
  }
}

/** The most preferred format that has pages or, for a whole list, any. */
const preferredOf = (preferred: readonly Format[], all: boolean): Format =>
  preferred.find((format) => all || representations[format].parts !== "whole") ?? "json"

const crossChecks =
  (offered: readonly Format[], preferred: readonly Format[]): CrossCheck =>
  (values, sent) => [
    ...formatFaults(
      values,
      sent,
      offered.find((format) => format === values.format) ??
        preferredOf(preferred, values.all === true),
    ),
    ...periodFaults(values),
    ...changeFaults(values),
  ]

/** Rejects parameters that the format lacks, and contradictory ones. */
function formatFaults(
  { all, format: sentFormat }: Values,
  sent: ReadonlySet<string>,
  format: Format,
): Fault[] {
  const faultsOf = (message: string, names: readonly string[], allowed?: readonly string[]) =>
    names
      .filter((name) => sent.has(name))
      .map((parameter): Fault => ({ parameter, message, ...(allowed && { allowed }) }))
  const paged = Object.keys(paging)
  const { parts, isDelimited } = representations[format]
  const needs = (allowed: readonly Format[], ...names: readonly string[]) =>
    faultsOf(`Needs format ${alternativesText(allowed)}`, names, allowed)
  return [
    ...(all && format === "json" ? needs(exportFormats, "all") : []),
    ...(isDelimited ? [] : needs(delimitedFormats, "bom", "formula_guard")),
    ...(parts === "whole" && !all ? faultsOf(`${format} needs all=true`, ["format"]) : []),
    ...(format === "atom"
      ? faultsOf(`Must not be given with ${feedOf(sentFormat)}`, [...paged, "all", "fields"])
      : faultsOf("Must not be given together with all=true", all ? paged : [])),
  ]
}

/** The part of the request that asks for a feed, and its cure where that may not be deliberate. */
const feedOf = (sentFormat: unknown): string =>
  sentFormat === undefined
    ? "Accept: application/atom+xml; send format=json for the list"
    : "format=atom"

const periods = [
  ["from", "to"],
  ["granted_from", "granted_to"],
  ["expires_from", "expires_to"],
] as const

/** Dates in one notation sort as text. */
const periodFaults = (values: Readonly<Record<string, ParameterValue>>): Fault[] =>
  periods.flatMap(([from, to]) => {
    const [first, last] = [values[from], values[to]]
    if (first === undefined || last === undefined || first <= last) return []
    return [{ parameter: from, message: `Must not be after ${to}` }]
  })

function changeFaults({ updated_since, removed_since }: Values): Fault[] {
  if (updated_since === undefined || removed_since === undefined) return []
  return [{ parameter: "removed_since", message: "Must not be given together with updated_since" }]
}

/** The memory of a plan without its texts. */
const planBytes = 1_500

/** A plan repeats the text of its query in keys, links and bound values. */
const bytesOf = ({ tagKey }: ListPlan): number => planBytes + 6 * tagKey.length

/**
 * @param parent the key of the record that the list belongs to, as the path has it
 * @throws as `planList` does
 */
export type PlanOf = (endpoint: ListEndpoint, target: Target, parent: string) => ListPlan

/**
 * Caches the plans of `planList`: a plan depends only on the request target and the preferred formats. The
 * key is a digest, because a query may contain a token.
 */
export function createPlans(sizes: Pick<CacheSizes, "plans">): PlanOf {
  const plans = createCache<ListPlan>(sizes.plans, bytesOf)

  return (endpoint, target, parent) => {
    const preferred = preferredFormats(target.accept, endpoint.formats)
    const key = digest(`${preferred} ${target.path}?${target.query}`)
    const cached = plans.get(key)
    if (cached) return cached
    const plan = planList(endpoint, target, parent, preferred)
    plans.set(key, plan)
    return plan
  }
}
