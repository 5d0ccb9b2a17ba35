/** What a route answers with, declared on the route: it is answered and described by this alone. */
import type { TObject, TProperties } from "@sinclair/typebox"
import type { Readable, Resource } from "../resources/resource.ts"
import { asOf, type ListEndpoint, selectionOf } from "./list-endpoint.ts"

/** An endpoint for one record of a resource, by the key in its path. */
export interface RecordEndpoint {
  kind: "record"
  resource: Readable
  parameters: typeof asOf & ReturnType<typeof selectionOf>
}

/** An endpoint for one object that belongs to no release, and that it makes itself. */
export interface ObjectEndpoint {
  kind: "object"
  /** Of its page in the reference and of its schema. */
  name: string
  description: string
  parameters: TProperties
  schema: TObject
}

export type Endpoint = ListEndpoint | RecordEndpoint | ObjectEndpoint

/** An endpoint and where it is served: `/api/v1/companies/:code`. */
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
