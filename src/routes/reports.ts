import { Elysia } from "elysia"
import type { Answers } from "../answers/list-answer.ts"
import type { ListEndpoint } from "../answers/list-plan.ts"
import { type AccessOptions, access } from "../plugins/access.ts"
import { target } from "../plugins/request-target.ts"
import { reports } from "../resources/reports.ts"

const list: ListEndpoint = {
  resource: reports,
  filters: ["company", "type", "from", "to", "search"],
}

export const reportRoutes = (answers: Answers, options: AccessOptions) =>
  new Elysia({ name: "reports", prefix: "/reports" })
    .use(access(options))
    .use(target())
    .get("/", ({ request, target }) => answers.list(list, { request, target }))
    .get("/:hash", ({ request, target, params: { hash } }) =>
      answers.one(reports, hash, { request, target }),
    )
