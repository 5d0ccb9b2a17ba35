/** The declaration of an endpoint: routes serve it, and the API's description describes it. */
import type { TObject, TProperties } from "@sinclair/typebox"
import type { Readable, Resource } from "../resources/resource.ts"
import { asOf, type ListEndpoint, selectionOf } from "./list-endpoint.ts"

/** An endpoint for one record of a resource, by the key in its path. */
export interface RecordEndpoint {
  kind: "record"
  resource: Readable
  parameters: typeof asOf & ReturnType<typeof selectionOf>
}

/** An endpoint whose route makes one object, which belongs to no release. */
export interface ObjectEndpoint {
  kind: "object"
  /** Names its page in the reference and its schema. */
  name: string
  description: string
  parameters: TProperties
  schema: TObject
}

export type Endpoint = ListEndpoint | RecordEndpoint | ObjectEndpoint

/** An endpoint and its path under the prefix of the API: `/companies/:code`. */
export interface ServedEndpoint {
  path: string
  endpoint: Endpoint
}

/** Declares the endpoint for one record. */
export const recordEndpoint = (resource: Resource): RecordEndpoint => ({
  kind: "record",
  resource,
  parameters: { ...asOf, ...selectionOf(resource) },
})
