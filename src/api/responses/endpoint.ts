/** The declarations of endpoints: routes serve them, and the API's description describes them. */
import { type TObject, type TProperties, Type } from "@sinclair/typebox"
import type { Parent } from "../../data/reader/statements.ts"
import { equals } from "../../data/resources/conditions.ts"
import { explained, kindsOfChange } from "../../data/resources/explained.ts"
import {
  fieldNames,
  filterOf,
  keyColumn,
  namesInSet,
  type Readable,
  type Resource,
  type ResourceRecord,
} from "../../data/resources/resource.ts"
import { oneOf } from "../../data/resources/values.ts"
import { versionsOf } from "../../data/resources/versions.ts"
import { ApiError } from "../http/api-error.ts"
import type { FeedOf } from "../http/atom.ts"
import {
  alternativesText,
  delimitedFormats,
  exportFormats,
  type Format,
  formats,
} from "../http/formats.ts"
import { pointInTimePattern } from "../http/point-in-time.ts"

interface Declaration {
  /** Relative to the prefix of the API: `/companies/:code/tenements`. */
  path: string
  /** Describes the choice and the order of the records. */
  description?: string
  resource: Readable
  /** The resource's filters that this endpoint accepts, if not all. */
  filters?: readonly string[]
  /** The record of another resource that the list belongs to, if any. */
  belongsTo?: Parent
  /** The resource whose values the endpoint counts, if its records are the values of the filter in its path. */
  counts?: Readable
  /** Whether it shows the present state, which belongs to no release. */
  ofNoRelease?: true
  /** Converts the records to entries, if the endpoint has the format Atom. */
  feed?: FeedOf<ResourceRecord>
}

export interface ListEndpoint extends Declaration {
  kind: "list"
  filters: readonly string[]
  /** Every parameter that it accepts. */
  parameters: TProperties
  formats: readonly Format[]
}

/** Declares a list endpoint. */
export function listEndpoint(declaration: Declaration): ListEndpoint {
  const { feed, ofNoRelease, resource, filters = Object.keys(resource.filters) } = declaration
  const offered: readonly Format[] = [
    ...formats,
    ...(feed ? (["atom"] as const) : []),
    ...(resource.hasShapes ? (["geojson"] as const) : []),
  ]
  const sorts = Object.keys(resource.sorts)
  const parameters: TProperties = {
    ...paging,
    ...Object.fromEntries(filters.map((name) => [name, optional(filterOf(resource, name).schema)])),
    ...resource.parameters,
    ...(sorts[0] && {
      sort: oneOf(sorts, { default: sorts[0], description: "Field to sort by" }),
      order: oneOf(["asc", "desc"], { default: "asc", description: "Direction of the order" }),
    }),
    ...(!ofNoRelease && asOf),
    ...(resource.history && { ...changes, ...kindOfChange(resource) }),
    ...selectionOf(resource.history ? explained(resource) : resource),
    ...representationIn(offered),
  }
  return { ...declaration, kind: "list", filters, parameters, formats: offered }
}

/** Declares the list of the versions of one record. */
export const historyEndpoint = (path: string, resource: Resource) =>
  listEndpoint({
    path,
    description: "Newest first.",
    resource: versionsOf(resource),
    belongsTo: { resource, scope: equals(keyColumn(resource)) },
  })

const pointInTime = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      format: "point-in-time",
      pattern: pointInTimePattern,
      description: `${description}: a release number, a day (its end, UTC) or a date-time at least 2 seconds ago`,
      examples: [example],
    }),
  )

export const paging = {
  page: Type.Integer({ minimum: 1, default: 1, description: "Number of the page" }),
  per_page: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 50,
    description: "Records per page",
  }),
}

/** Accepted by single records too. */
export const asOf = { as_of: pointInTime("The response at an earlier time", "2026-01-31") }

export const changes = {
  updated_since: pointInTime("Only records that were added or changed after it", "1"),
  removed_since: pointInTime(
    "The records that have left the list since then, with their values at that time",
    "1",
  ),
}

/** A part of the list itself, as its filters are. */
const kindOfChange = (resource: Readable) => ({
  changed: Type.Optional(
    Type.Array(oneOf(kindsOfChange(resource)), {
      minItems: 1,
      uniqueItems: true,
      description:
        "Only records that changed in one of these ways, separated by commas: `added` to the list, or a field that differs; needs `updated_since`",
      examples: [["added"]],
    }),
  ),
})

/** Accepted by single records too. Only of resources some of whose fields are shown when asked. */
function selectionOf(resource: Readable) {
  const optional = fieldNames(resource, "asked")
  if (optional.length === 0) return {}
  const fields = Type.Array(oneOf(namesInSet(resource, "all")), {
    minItems: 1,
    uniqueItems: true,
    description: `The fields of the records, in this order, separated by commas: the records lack all others, also the required ones of the schema. By default, every field but ${optional.join(", ")}`,
    examples: [[resource.key, optional[0]]],
  })
  return { fields: Type.Optional(fields) }
}

const ofAtom = `. atom is a feed of the first ${paging.per_page.default} records, without page, per_page, all and fields`

const representationIn = (offered: readonly Format[]) => ({
  format: Type.Optional(
    oneOf(offered, {
      description: `Format of the response; without it, the header Accept decides. parquet needs all=true${offered.includes("atom") ? ofAtom : ""}`,
    }),
  ),
  all: Type.Boolean({
    default: false,
    description: `Every record in one response, without page and per_page; needs ${alternativesText(exportFormats(offered))}`,
  }),
  bom: Type.Boolean({
    default: false,
    description: `A byte order mark at the beginning, for Excel; needs ${alternativesText(delimitedFormats)}`,
  }),
  formula_guard: Type.Boolean({
    default: true,
    description: `An apostrophe before text that a spreadsheet would run as a formula; needs ${alternativesText(delimitedFormats)}`,
  }),
})

export const representation = representationIn(formats)

const optional = (schema: TProperties[string]) =>
  schema.default === undefined ? Type.Optional(schema) : schema

/** An endpoint for one record of a resource, by the key in its path. */
export interface RecordEndpoint {
  kind: "record"
  path: string
  resource: Readable
  parameters: TProperties
  formats: readonly Format[]
}

/** Accepted by records with shapes. */
const recordFormat = {
  format: Type.Optional(
    oneOf<Format>(["json", "geojson"], { description: "Format of the response" }),
  ),
}

/** An endpoint whose route makes one object, which belongs to no release. */
export interface ObjectEndpoint {
  kind: "object"
  path: string
  /** Names its page in the reference and its schema. */
  name: string
  description: string
  parameters: TProperties
  schema: TObject
}

export type DataEndpoint = ListEndpoint | RecordEndpoint

/** `path` is relative to the prefix of the API, and contains at most one key: `/companies/:code`. */
export type Endpoint = DataEndpoint | ObjectEndpoint

/** Declares the endpoint for one record. */
export const recordEndpoint = (path: string, resource: Resource): RecordEndpoint => ({
  kind: "record",
  path,
  resource,
  parameters: { ...asOf, ...selectionOf(resource), ...(resource.hasShapes && recordFormat) },
  formats: resource.hasShapes ? ["json", "geojson"] : ["json"],
})

/** A path that contains the key: `/companies/BIG/tenements`. */
export const pathWith = (path: string, key: string): string =>
  path.replace(/:\w+/, () => encodeURIComponent(key))

/** The path of an endpoint under the service's address. */
export const apiPath = ({ path }: Pick<Endpoint, "path">, key: string): string =>
  `/api/v1${pathWith(path, key)}`

/**
 * Converts a key in a path to the key in the table.
 * @throws ApiError NOT_FOUND for a NUL, which PostgreSQL's text excludes
 */
export function recordKey({ keyFromPath }: Readable, text: string): string {
  if (text.includes("\0")) throw new ApiError("NOT_FOUND")
  return keyFromPath?.(text) ?? text
}
