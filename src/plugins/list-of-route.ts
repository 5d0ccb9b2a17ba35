/**
 * The list that a route answers with, declared on the route as `lists`, so that the chain knows it
 * before the request is admitted.
 */
import { Elysia } from "elysia"
import type { ListEndpoint } from "../answers/list-endpoint.ts"
import type { RequestedList } from "../answers/prepare-list.ts"

/** Gives `requestedList`, with the only parameter of the path as the record that the list belongs to. */
export const listOfRoute = () =>
  new Elysia({ name: "list-of-route" })
    .decorate({ requestedList: undefined as RequestedList | undefined })
    .macro({
      lists: (endpoint: ListEndpoint) => ({
        // Otherwise Elysia would make one of the endpoint, which refers to itself.
        seed: endpoint.resource.name,
        // Field by field: of a context that is handed on, Elysia would parse cookies and all else.
        transform: (context) => {
          const [parent = ""] = Object.values<string>(context.params ?? {})
          context.requestedList = { endpoint, parent }
        },
      }),
    })
