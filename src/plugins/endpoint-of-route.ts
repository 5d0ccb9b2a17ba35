/**
 * What a route answers with, declared on the route as `lists`, `reads` or `gives`. The chain knows the
 * list before the request is admitted, and the API's description is made from all of them.
 */
import { Elysia } from "elysia"
import type {
  Endpoint,
  ObjectEndpoint,
  RecordEndpoint,
  ServedEndpoint,
} from "../answers/endpoint.ts"
import type { ListEndpoint, RequestedList } from "../answers/list-endpoint.ts"
import type { Readable } from "../resources/resource.ts"

/** A record that is asked for by its key, as the path has it. */
export interface RequestedRecord {
  resource: Readable
  key: string
}

/**
 * Gives `requestedList` or `requestedRecord`, with the only parameter of the path as the key of the
 * record, or of the one that the list belongs to.
 */
export const endpointOfRoute = () =>
  new Elysia({ name: "endpoint-of-route" })
    .decorate({
      requestedList: undefined as RequestedList | undefined,
      requestedRecord: undefined as RequestedRecord | undefined,
    })
    // Each has a seed, because Elysia would otherwise make one of the endpoint, which refers to itself.
    // The hooks read field by field: of a context that is handed on, Elysia would parse cookies and all
    // else.
    .macro({
      lists: (endpoint: ListEndpoint) => ({
        seed: endpoint.resource.name,
        detail: declared(endpoint),
        transform: (context) => {
          const [parent = ""] = Object.values<string>(context.params ?? {})
          context.requestedList = { endpoint, parent }
        },
      }),
      reads: (endpoint: RecordEndpoint) => ({
        seed: endpoint.resource.name,
        detail: declared(endpoint),
        transform: (context) => {
          const [key = ""] = Object.values<string>(context.params ?? {})
          context.requestedRecord = { resource: endpoint.resource, key }
        },
      }),
      gives: (endpoint: ObjectEndpoint) => ({
        seed: endpoint.name,
        detail: declared(endpoint),
      }),
    })

const declaration = "x-endpoint"

/** As a function, because Elysia would copy an object and all that it refers to. */
const declared = (endpoint: Endpoint): object => ({ [declaration]: () => endpoint })

/** A route, as far as its description needs it. */
export interface Route {
  method: string
  path: string
  hooks: { detail?: object }
}

/**
 * The endpoints of the routes below a path.
 * @throws Error for a route that declares none, which is a mistake in the program
 */
export const endpointsOf = (routes: readonly Route[], below: string): ServedEndpoint[] =>
  routes
    .filter(({ method, path }) => method === "GET" && path.startsWith(below))
    .map(({ path, hooks }) => {
      const endpoint: unknown = Reflect.get(hooks.detail ?? {}, declaration)?.()
      if (!isEndpoint(endpoint)) throw new Error(`The route ${path} does not declare its endpoint`)
      return { path: path.replace(/\/$/, ""), endpoint }
    })

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "kind" in value && "parameters" in value
