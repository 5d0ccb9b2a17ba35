import { Elysia } from "elysia"
import { type AccessOptions, access } from "../plugins/access.ts"
import { target } from "../plugins/target.ts"
import { tenements } from "../resources/tenements.ts"
import type { Answers } from "./answers.ts"
import type { ListEndpoint } from "./lists.ts"

const list: ListEndpoint = { resource: tenements, filters: ["state", "status", "type", "holder"] }

export const tenementRoutes = (answers: Answers, options: AccessOptions) =>
  new Elysia({ name: "tenements", prefix: "/tenements" })
    .use(access(options))
    .use(target())
    .get("/", ({ request, target }) => answers.list(list, { request, target }))
    .get("/:id", ({ request, target, params: { id } }) =>
      answers.one(tenements, id, { request, target }),
    )
