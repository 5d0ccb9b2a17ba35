import { Elysia } from "elysia"
import { tenements } from "../../data/resources/tenements.ts"
import { negotiation } from "../plugins/negotiation.ts"
import { listEndpoint, recordEndpoint } from "../responses/endpoint.ts"
import { type DataOptions, responder } from "./data.ts"
import { historyOf } from "./histories.ts"

export const tenementList = listEndpoint({
  path: "/tenements",
  description: "Ordered by `id` by default. Unknown dates and areas come last.",
  resource: tenements,
})

export const tenement = recordEndpoint("/tenements/:id", tenements)

export const tenementHistory = historyOf("/tenements/:id/history", tenements)

export function tenementRoutes(options: DataOptions) {
  const respond = responder(options)
  return new Elysia({ name: "tenements" })
    .use(negotiation(options))
    .get(tenementList.path, ({ asked }) => respond(tenementList, asked))
    .get(tenement.path, ({ asked, params: { id } }) => respond(tenement, asked, id))
    .get(tenementHistory.path, ({ asked, params: { id } }) => respond(tenementHistory, asked, id))
}
