/**
 * The list endpoints: which parameters each takes, and the list that a query asks for. All of it is
 * derived from the resource.
 */
import { Type } from "@sinclair/typebox"
import type { List } from "../db/reader/reader.ts"
import type { Scope } from "../db/reader/statements.ts"
import type { Fault } from "../http/api-error.ts"
import { type Format, formats, preferredFormat } from "../http/negotiation.ts"
import {
  canonicalQuery,
  type ParameterSchemas,
  type Parameters,
  readParameters,
} from "../http/parameters.ts"
import { type Direction, filterOf, oneOf, orderOf, type Readable } from "../resources/resource.ts"

export interface ListEndpoint {
  resource: Readable
  /** The resource's filters that this endpoint takes. */
  filters: readonly string[]
  /** Where the list belongs to one record of another resource. */
  belongsTo?: { resource: Readable; scope: Scope }
}

/** A list, and how the caller wants it shown. */
export interface ListQuery {
  /** Without the releases that `updated` and `removed` need: see `moments`. */
  list: List
  moments: Moments
  page: number
  perPage: number
  format: Format
  all: boolean
  byteOrderMark: boolean
  formulaGuard: boolean
  /** What a link to another page repeats. */
  given: Parameters["given"]
  /** One text for all queries that ask the same. */
  canonical: string
  /** The same for all pages of one crawl. */
  crawl: string
}

/** Points in the history of the data, as the caller wrote them. */
export interface Moments {
  asOf?: string | undefined
  updatedSince?: string | undefined
  removedSince?: string | undefined
}

const paging: ParameterSchemas = {
  page: Type.Integer({ minimum: 1, default: 1, description: "Page number" }),
  per_page: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    description: "Records per page",
  }),
}

const moment = (description: string) =>
  Type.String({
    format: "moment",
    description: `${description}: a release number, a date or a date-time`,
  })

/** What single records take too. */
export const reading: ParameterSchemas = { as_of: moment("The answer as it stood then") }

const changes: ParameterSchemas = {
  updated_since: moment("Only records added or changed after it"),
  removed_since: moment("The records that stood then and do not stand any more"),
}

const representation: ParameterSchemas = {
  format: oneOf(formats, { description: "Output format; without it, Accept decides" }),
  all: Type.Boolean({
    default: false,
    description: "Every record in one answer; csv and tsv only",
  }),
  bom: Type.Boolean({
    default: false,
    description: "A byte order mark, for Excel; csv and tsv only",
  }),
  formula_guard: Type.Boolean({
    default: true,
    description: "An apostrophe before text that a spreadsheet would run; csv and tsv only",
  }),
}

/** Every parameter of the endpoint. */
export function listParameters({ resource, filters }: ListEndpoint): ParameterSchemas {
  const sorts = Object.keys(resource.sorts)
  return {
    ...paging,
    ...Object.fromEntries(filters.map((name) => [name, filterOf(resource, name).schema])),
    ...(sorts[0] && {
      sort: oneOf(sorts, { default: sorts[0], description: "What to sort by" }),
      order: oneOf(["asc", "desc"], { default: "asc", description: "Direction" }),
    }),
    ...reading,
    ...(resource.history && changes),
    ...representation,
  }
}

/**
 * @param parentKey gives the key of the record that the list belongs to
 * @throws ApiError INVALID_PARAMETER
 */
export function readListQuery(
  endpoint: ListEndpoint,
  query: string,
  accept: string | null,
  parentKey: (parent: Readable) => string,
): ListQuery {
  const format = (values: Parameters["values"]): Format =>
    (values.format as Format | undefined) ?? preferredFormat(accept)
  const parameters = readParameters(query, listParameters(endpoint), (read) => [
    ...exportFaults(read, format(read.values)),
    ...periodFaults(read),
    ...changeFaults(read),
  ])
  const { values, given, apart } = parameters
  const shown = { ...values, format: format(values) }
  return {
    list: toList(endpoint, values, parentKey),
    moments: {
      asOf: values.as_of as string | undefined,
      updatedSince: values.updated_since as string | undefined,
      removedSince: values.removed_since as string | undefined,
    },
    page: values.page as number,
    perPage: values.per_page as number,
    format: format(values),
    all: values.all as boolean,
    byteOrderMark: values.bom as boolean,
    formulaGuard: values.formula_guard as boolean,
    given,
    canonical: canonicalQuery({ values: shown }),
    crawl: `${canonicalQuery({ values: { ...shown, page: 1 } })} ${apart}`,
  }
}

function toList(
  { resource, filters, belongsTo }: ListEndpoint,
  values: Parameters["values"],
  parentKey: (parent: Readable) => string,
): List {
  const used = filters.filter((name) => values[name] !== undefined)
  const bound = Object.fromEntries(
    used.map((name) => [name, filterOf(resource, name).bind(values[name] ?? "")]),
  )
  const { sort, order: direction } = values as { sort?: string; order?: Direction }
  const parent = belongsTo && { ...belongsTo, key: parentKey(belongsTo.resource) }
  return {
    resource,
    filters: used,
    order: orderOf(resource, sort, direction),
    updated: values.updated_since !== undefined,
    removed: values.removed_since !== undefined,
    bound,
    parent,
    identity: JSON.stringify([resource.name, parent?.key, sort, direction, bound]),
  }
}

function exportFaults({ values, given }: Parameters, format: Format): Fault[] {
  if (!values.all) return []
  const paged = given
    .map(([name]) => name)
    .filter((name) => name in paging)
    .map((parameter) => ({ parameter, message: "Must not be given together with all=true" }))
  return format === "json"
    ? [{ parameter: "all", message: "Needs format csv or tsv", allowed: ["csv", "tsv"] }, ...paged]
    : paged
}

/** Dates in one notation compare as texts do. */
function periodFaults({ values: { from, to } }: Parameters): Fault[] {
  if (from === undefined || to === undefined || from <= to) return []
  return [{ parameter: "from", message: "Must not be after to" }]
}

function changeFaults({ values }: Parameters): Fault[] {
  if (values.updated_since === undefined || values.removed_since === undefined) return []
  return [{ parameter: "removed_since", message: "Must not be given together with updated_since" }]
}
