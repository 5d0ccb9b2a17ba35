import { Elysia } from "elysia"
import type { Answers } from "../answers/list-answer.ts"
import type { ListEndpoint } from "../answers/list-plan.ts"
import { type AccessOptions, access } from "../plugins/access.ts"
import { target } from "../plugins/request-target.ts"
import { tenements } from "../resources/tenements.ts"

const list: ListEndpoint = { resource: tenements, filters: ["state", "status", "type", "holder"] }

export const tenementRoutes = (answers: Answers, options: AccessOptions) =>
  new Elysia({ name: "tenements", prefix: "/tenements" })
    .use(access(options))
    .use(target())
    .get("/", ({ request, target }) => answers.list(list, { request, target }))
    .get("/:id", ({ request, target, params: { id } }) =>
      answers.one(tenements, id, { request, target }),
    )
