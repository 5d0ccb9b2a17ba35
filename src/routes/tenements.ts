import { Elysia } from "elysia"
import { recordEndpoint } from "../answers/endpoint.ts"
import { listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { tenements as resource } from "../resources/tenements.ts"
import { ofRecord, versionsOf } from "../resources/versions.ts"

export const tenementList = listEndpoint({
  description: "Ordered by `id`, unless `sort` says otherwise. Unknown dates and areas come last.",
  resource,
  filters: Object.keys(resource.filters),
})

export const tenement = recordEndpoint(resource)

export const tenementHistory = listEndpoint({
  description: "Newest first.",
  resource: versionsOf(resource),
  filters: [],
  belongsTo: ofRecord(resource),
})

export const tenements = (options: AnswersOptions) =>
  new Elysia({ name: "tenements", prefix: "/tenements" })
    .use(answers(options))
    .get("/", ({ list }) => list(tenementList))
    .get("/:id", ({ record }) => record(tenement))
    .get("/:id/history", ({ list }) => list(tenementHistory))
