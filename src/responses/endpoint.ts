/** The declaration of an endpoint: routes serve it, and the API's description describes it. */
import type { TObject, TProperties } from "@sinclair/typebox"
import { ApiError } from "../http/api-error.ts"
import type { Readable, Resource } from "../resources/resource.ts"
import { asOf, type ListEndpoint, selectionOf } from "./list-endpoint.ts"

/** An endpoint for one record of a resource, by the key in its path. */
export interface RecordEndpoint {
  kind: "record"
  path: string
  resource: Readable
  parameters: typeof asOf & ReturnType<typeof selectionOf>
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
  parameters: { ...asOf, ...selectionOf(resource) },
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
