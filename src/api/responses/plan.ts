/**
 * Plans the response to a request: its query, its format, and the keys of its list, its pages and itself.
 * Pure: it uses neither the database nor the clock.
 */
import type { Static, TObject, TProperties } from "@sinclair/typebox"
import { type CacheSizes, createCache } from "../../data/db/cache.ts"
import type { List } from "../../data/reader/statements.ts"
import { countedFilters } from "../../data/resources/facets.ts"
import { allFields, filterOf, orderOf, type Readable } from "../../data/resources/resource.ts"
import { digest } from "../../system/text/digest.ts"
import { ApiError } from "../http/api-error.ts"
import type { Format } from "../http/formats.ts"
import { preferredFormats } from "../http/negotiation.ts"
import { cacheBuster, type ParameterValue, readParameters, typed } from "../http/parameters.ts"
import { type CanonicalQuery, canonicalQuery, queryText } from "../http/query-string.ts"
import type { Target } from "./data-request.ts"
import {
  apiPath,
  asOf,
  changes,
  type DataEndpoint,
  type ListEndpoint,
  ordering,
  paging,
  type RecordEndpoint,
  recordFormat,
  recordKey,
  representation,
  selection,
} from "./endpoint.ts"
import { checkCombinations, preferredFormat } from "./list-checks.ts"

interface PlanOfAny {
  /** The resource of the response's records. */
  shown: Readable
  format: Format
  /** Of the API, with its key. */
  path: string
  /** The parameters that differ from their defaults. */
  canonical: CanonicalQuery
  /** The value of `_`; empty without one. */
  cacheBuster: string
  /** Identifies the response at a release, by a text of bounded length: its entity tag comes from this. */
  key: string
  /** The same for its headers too: links name the format only if the client did. */
  cacheKey: string
  /**
   * Whether the response can be cached by release. Comparisons can resolve to another release the next
   * time, pruning shortens lists of versions, and exports are too large.
   */
  cacheable: boolean
}

type RecordValues = Static<TObject<typeof ofRecord>>

export interface RecordPlan extends PlanOfAny, Omit<RecordValues, "format"> {
  kind: "record"
  /** As the table has it. */
  recordKey: string
}

export interface ListPlan extends PlanOfAny, Omit<Static<TObject<typeof common>>, "format"> {
  kind: "list"
  /**
   * Excludes the releases that it compares with, which depend on the database. So only the resolver's list
   * has an identity and can be read.
   */
  list: Omit<List, "identity">
  /** Identifies the list, apart from the releases that it compares with. */
  identity: string
  /** The name of the filter whose values the response counts, if it counts any. */
  facet: string | undefined
  endpoint: ListEndpoint
  /** Identifies the page sequence, by a text of fixed length. */
  sequence: string
}

export type Plan = ListPlan | RecordPlan

/** Valid values of parameters, by name. */
export type ParameterValues = Readonly<Record<string, unknown>>

/** The parameters of every list beside its filters and its order. */
const common = { ...paging, ...representation, ...asOf, ...changes, ...selection }
const ofRecord = { ...asOf, ...selection, ...recordFormat }

/**
 * Plans a list as a client requested it.
 * @param key the key in its path; empty without one
 * @throws ApiError INVALID_PARAMETER; NOT_FOUND for a key that no record can have
 */
export function planSentList(
  endpoint: ListEndpoint,
  { query, accept }: Target,
  key: string,
): ListPlan {
  const { counts } = endpoint
  if (counts && !countedFilters(counts).includes(key)) throw new ApiError("NOT_FOUND")
  const preferred = preferredFormats(accept, endpoint.formats)
  const values = readParameters(
    query,
    endpoint.parameters,
    checkCombinations(endpoint.formats, preferred),
  )
  return planList(
    endpoint,
    { format: preferredFormat(preferred, values.all === true), ...values },
    key,
    { sent: values, cacheBuster: cacheBuster(query) },
  )
}

/**
 * Plans a list with values instead of a query: for pages and tools.
 * @param values valid ones; JSON unless they have a format
 * @param sent the values without those that the service chose, for links
 * @throws ApiError NOT_FOUND for a key that no record can have
 */
export function planList(
  endpoint: ListEndpoint,
  values: ParameterValues,
  key: string,
  { sent = values, cacheBuster = "" } = {},
): ListPlan {
  const { parameters, counts, resource } = endpoint
  const all: ParameterValues = { format: "json", ...defaultsOf(parameters), ...values }
  const given = typed(all, common)
  const { page, format = "json" } = given
  const filters = filtersInUse(endpoint, all)
  const filterValues = Object.fromEntries(filters.map(({ name, value }) => [name, value]))
  const canonical = canonicalQuery({ ...sent, ...filterValues }, parameters)
  const path = apiPath(endpoint, key)
  // A facet shares its counts with the list that it counts.
  const listPath = counts ? `/api/v1/${counts.name}` : path
  const list = toList(endpoint, all, filters, key)
  const pages = digest(`${format} ${path}?${queryText(canonical, ["page", "format"])}`)
  return {
    ...given,
    kind: "list",
    list,
    identity: digest(`${listPath}?${queryText(canonical, notOfTheList)}`),
    facet: counts && key,
    shown: counts ? resource : list.resource,
    format,
    endpoint,
    path,
    canonical,
    cacheBuster,
    key: `${pages} ${page}`,
    cacheKey: `${pages} ${page} ${sent.format}`,
    sequence: cacheBuster === "" ? pages : digest(`${pages} ${cacheBuster}`),
    cacheable:
      !given.all &&
      !endpoint.ofNoRelease &&
      !endpoint.resource.pastVersions &&
      given.updated_since === undefined &&
      given.removed_since === undefined,
  }
}

/** @throws ApiError NOT_FOUND for a key that no record can have */
export function planRecord(
  endpoint: RecordEndpoint,
  values: RecordValues,
  keyInPath: string,
): RecordPlan {
  const { resource, parameters } = endpoint
  const { format = "json", fields } = values
  const path = apiPath(endpoint, keyInPath)
  const canonical = canonicalQuery(values, parameters)
  // A cached record exists, so its path is short.
  const key = `${path}?${queryText(canonical)}`
  return {
    ...values,
    kind: "record",
    shown: shownOf(resource, { format, fields }),
    recordKey: recordKey(resource, keyInPath),
    format,
    path,
    canonical,
    cacheBuster: "",
    key,
    cacheKey: key,
    cacheable: true,
  }
}

/** Fields and features need more than the default fields. */
const shownOf = (resource: Readable, { fields, format }: ParameterValues): Readable => {
  const readsShapes = format === "geojson" || (Array.isArray(fields) && fields.includes("geometry"))
  return fields === undefined && !readsShapes ? resource : allFields(resource, readsShapes)
}

/** Parameters that choose a part, fields, a release or a representation leave the list itself as it is. */
const notOfTheList = Object.keys(common)

const defaultsOf = (parameters: TProperties): ParameterValues =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

const isValue = (value: unknown): value is ParameterValue =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** The filters with a value, each with its canonical value. */
const filtersInUse = ({ resource, filters }: ListEndpoint, values: ParameterValues) =>
  filters.flatMap((name) => {
    const filter = filterOf(resource, name)
    const value = values[name]
    return isValue(value) ? [{ name, filter, value: filter.canonical(value) }] : []
  })

function toList(
  { resource: shown, counts: resource = shown, belongsTo }: ListEndpoint,
  values: ParameterValues,
  filters: ReturnType<typeof filtersInUse>,
  parent: string,
): ListPlan["list"] {
  const { sort, order } = typed({ order: "asc", ...values }, ordering)
  return {
    resource: shownOf(resource, values),
    filters: filters.map(({ name }) => name),
    byScan: filters
      .filter(({ filter, value }) => filter.isIndexed?.(value) === false)
      .map(({ name }) => name),
    order: orderOf(resource, sort, order),
    updated: values.updated_since !== undefined,
    removed: values.removed_since !== undefined,
    bound: Object.fromEntries(
      filters.map(({ name, filter, value }) => [name, filter.bind(value, values)]),
    ),
    parent: belongsTo && { ...belongsTo, key: recordKey(belongsTo.resource, parent) },
  }
}

/** The memory of a plan without its texts. */
const planBytes = 1_500

/** A plan repeats the text of its query in links and bound values. */
const bytesOf = ({ path, canonical }: ListPlan): number =>
  planBytes + 6 * (path.length + queryText(canonical).length)

/** Plans the response to a request. @throws as `planSentList` */
export type PlanOf = (endpoint: DataEndpoint, target: Target, key: string) => Plan

/**
 * Caches the plans of lists: a plan depends only on the endpoint, its key, the query and the preferred
 * formats. The key is a digest, because a query may contain a token. A record is planned as fast as found.
 */
export function createPlans(sizes: Pick<CacheSizes, "plans">): PlanOf {
  const plans = createCache<ListPlan>(sizes.plans, bytesOf)

  return (endpoint, target, key) => {
    const { query, accept } = target
    if (endpoint.kind === "record") {
      // Programs that follow links send no query: this is the hottest request.
      const values = query === "" ? {} : typed(readParameters(query, endpoint.parameters), ofRecord)
      return planRecord(endpoint, values, key)
    }
    // Neither header nor query can have a line break, so only the key may.
    const id = digest(`${accept}\n${endpoint.path}?${query}\n${key}`)
    const cached = plans.get(id)
    if (cached) return cached
    const plan = planSentList(endpoint, target, key)
    plans.set(id, plan)
    return plan
  }
}
