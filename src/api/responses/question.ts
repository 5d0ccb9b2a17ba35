/**
 * What a client, a page or a tool asks of the data: one record, or a list at a point in time. This file makes
 * questions of valid values, and `ask.ts` those of a query. Pure: neither uses the database or the clock.
 */
import type { TProperties } from "@sinclair/typebox"
import type { List } from "../../data/reader/statements.ts"
import { explained } from "../../data/resources/explained.ts"
import {
  type FieldSet,
  fieldNames,
  fieldSetOf,
  filterOf,
  orderOf,
  type Readable,
} from "../../data/resources/resource.ts"
import { digest } from "../../system/text/digest.ts"
import { type Format, formatNamed } from "../http/formats.ts"
import { type ParameterValues, textParameter } from "../http/parameters.ts"
import { type CanonicalQuery, canonicalQuery, queryText } from "../http/query-string.ts"
import {
  apiPath,
  asOf,
  changes,
  type ListEndpoint,
  paging,
  type RecordEndpoint,
  recordKey,
  representation,
} from "./endpoint.ts"

interface Asked {
  /** The resource of the response's records. */
  resource: Readable
  fieldSet: FieldSet
  /** The names of the fields that the request chose, in their order, if it did. */
  fields: readonly string[] | undefined
  format: Format
  /** Of the API, with its key. */
  path: string
  /** The parameters that differ from their defaults. */
  canonical: CanonicalQuery
  /** The point in time that it names, if it does. */
  asOf: string | undefined
  /** The value of `_`; empty without one. */
  cacheBuster: string
  /** Identifies the response at a release, by a text of bounded length: its entity tag comes from this. */
  id: string
  /** The same for its headers too: links name the format only if the client did. */
  cacheKey: string
  /**
   * Whether the response can be cached by release. Comparisons can resolve to another release the next
   * time, pruning shortens lists of versions, and exports are too large.
   */
  isCacheable: boolean
}

export interface RecordQuestion extends Asked {
  kind: "record"
  /** As the table has it. */
  key: string
}

export interface ListQuestion extends Asked {
  /** The records of a list, or the values of a filter among them. */
  kind: "list" | "counts"
  endpoint: ListEndpoint
  list: List
  /** The filter whose values are counted; empty for `list`. */
  counted: string
  /** The part of the list that the response has. */
  range: PageRange | "whole"
  /** The point in time that the list is compared with, if it is. */
  since: string | undefined
  /** Identifies the page sequence, by a text of fixed length. */
  sequence: string
  bom: boolean
  formulaGuard: boolean
}

interface PageRange {
  page: number
  perPage: number
}

export type Question = ListQuestion | RecordQuestion

/** Parameters that choose a part, fields, a release or a representation leave the list itself as it is. */
export const notOfTheList = [
  ...Object.keys({ ...paging, ...representation, ...asOf, ...changes }),
  "fields",
]

/**
 * Asks for a list.
 * @param values valid ones; JSON unless they have a format
 * @param key the key in its path; empty without one
 * @param sent the values that links repeat
 * @throws ApiError NOT_FOUND for a key that no record can have
 */
export function askList(
  endpoint: ListEndpoint,
  values: ParameterValues,
  key = "",
  { sent = values, cacheBuster = "" } = {},
): ListQuestion {
  const { parameters, counts, belongsTo } = endpoint
  const given: ParameterValues = { format: "json", ...defaultsOf(parameters), ...values }
  // Versions of records have a field of this name too.
  const isExplained =
    given.updated_since !== undefined && (given.changed !== undefined || namesChanged(given))
  const shown = isExplained ? explained(endpoint.resource) : endpoint.resource
  const resource = counts ?? shown
  const filters = filtersInUse(endpoint, resource, given)
  const filterValues = Object.fromEntries(filters.map(({ name, value }) => [name, value]))
  const canonical = canonicalQuery({ ...sent, ...filterValues }, parameters)
  const path = apiPath(endpoint, key)
  const pages = digest(`${given.format} ${path}?${queryText(canonical, ["page", "format"])}`)
  const range = { page: Number(given.page), perPage: Number(given.per_page) }
  const since = textParameter(given, "updated_since") ?? textParameter(given, "removed_since")
  const selected = selectionOf(shown, given)
  return {
    ...selected,
    kind: counts ? "counts" : "list",
    endpoint,
    list: {
      resource,
      fieldSet: selected.fieldSet,
      filters: filters.map(({ name }) => name),
      byScan: filters
        .filter(({ filter, value }) => filter.isIndexed?.(value) === false)
        .map(({ name }) => name),
      order: orderOf(
        resource,
        textParameter(given, "sort"),
        given.order === "desc" ? "desc" : "asc",
      ),
      since: sinceOf(given, isExplained),
      bound: Object.fromEntries(
        filters.map(({ name, filter, value }) => [name, filter.bind(value, given)]),
      ),
      parent: belongsTo && { ...belongsTo, key: recordKey(belongsTo.resource, key) },
      // A facet shares its counts with the list that it counts.
      identity: digest(
        `${counts ? `/api/v1/${counts.name}` : path}?${queryText(canonical, notOfTheList)}`,
      ),
    },
    counted: counts ? key : "",
    range: given.all === true ? "whole" : range,
    since,
    bom: given.bom === true,
    formulaGuard: given.formula_guard !== false,
    path,
    canonical,
    cacheBuster,
    id: `${pages} ${range.page}`,
    cacheKey: `${pages} ${range.page} ${sent.format}`,
    sequence: cacheBuster === "" ? pages : digest(`${pages} ${cacheBuster}`),
    isCacheable:
      given.all !== true && !endpoint.ofNoRelease && !resource.pastVersions && since === undefined,
  }
}

/**
 * Asks for one record.
 * @param keyInPath as the client wrote it
 * @throws ApiError NOT_FOUND for a key that no record can have
 */
export function askRecord(
  { path: pattern, resource, parameters }: RecordEndpoint,
  values: ParameterValues,
  keyInPath: string,
): RecordQuestion {
  const path = apiPath({ path: pattern }, keyInPath)
  const canonical = canonicalQuery(values, parameters)
  // A cached record exists, so its path is short.
  const id = `${path}?${queryText(canonical)}`
  return {
    ...selectionOf(resource, values),
    kind: "record",
    key: recordKey(resource, keyInPath),
    path,
    canonical,
    cacheBuster: "",
    id,
    cacheKey: id,
    isCacheable: true,
  }
}

/** The names of the response's fields, in their order. */
export const shownNames = ({ resource, fields }: Question): readonly string[] =>
  fields ?? fieldNames(resource, "always")

/** A feature has the geometry beside the fields. */
function selectionOf(resource: Readable, values: ParameterValues) {
  const { fields: named, format } = values
  const fields = Array.isArray(named) ? named.map(String) : undefined
  return {
    resource,
    fields,
    fieldSet: fieldSetOf(resource, format === "geojson" ? ["geometry"] : fields),
    format: formatNamed(format) ?? "json",
    asOf: textParameter(values, "as_of"),
  }
}

/** Whether the request chooses the field with what changed. */
export const namesChanged = ({ fields }: ParameterValues): boolean =>
  Array.isArray(fields) && fields.includes("changed")

function sinceOf(given: ParameterValues, isExplained: boolean): List["since"] {
  if (given.removed_since !== undefined) return "removed"
  if (given.updated_since === undefined) return undefined
  return isExplained ? "explained" : "changed"
}

const defaultsOf = (parameters: TProperties): ParameterValues =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

/** The filters with a value, each with its canonical value. */
const filtersInUse = ({ filters }: ListEndpoint, resource: Readable, values: ParameterValues) =>
  [...filters, "changed"].flatMap((name) => {
    const value = values[name]
    if (value === undefined) return []
    const filter = filterOf(resource, name)
    return [{ name, filter, value: filter.canonical(value) }]
  })
