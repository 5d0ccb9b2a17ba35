import { Elysia } from "elysia"
import { tenements } from "../../data/resources/tenements.ts"
import { dataRequest } from "../plugins/data-request.ts"
import { historyEndpoint, listEndpoint, recordEndpoint } from "../responses/endpoint.ts"
import { type DataOptions, responder } from "./data.ts"

export const tenementList = listEndpoint({
  path: "/tenements",
  description: "Ordered by `id` by default. Unknown dates and areas come last.",
  resource: tenements,
})

export const tenement = recordEndpoint("/tenements/:id", tenements)

export const tenementHistory = historyEndpoint("/tenements/:id/history", tenements)

export function tenementRoutes(options: DataOptions) {
  const respond = responder(options)
  return new Elysia({ name: "tenements" })
    .use(dataRequest(options))
    .get(tenementList.path, respond(tenementList))
    .get(tenement.path, respond(tenement))
    .get(tenementHistory.path, respond(tenementHistory))
}
