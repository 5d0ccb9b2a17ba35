import { Elysia } from "elysia"
import type { Answers } from "../answers/list-answer.ts"
import type { ListEndpoint } from "../answers/list-plan.ts"
import { type AccessOptions, access } from "../plugins/access.ts"
import { target } from "../plugins/request-target.ts"
import { companies } from "../resources/companies.ts"
import { ofParent, subsidiaries } from "../resources/subsidiaries.ts"
import { ofCompany, tenements } from "../resources/tenements.ts"

const list: ListEndpoint = { resource: companies, filters: ["search", "sector", "active"] }

const tenementsOfCompany: ListEndpoint = {
  resource: tenements,
  filters: ["state", "status"],
  belongsTo: { resource: companies, scope: ofCompany },
}

const subsidiariesOfCompany: ListEndpoint = {
  resource: subsidiaries,
  filters: [],
  belongsTo: { resource: companies, scope: ofParent },
}

export const companyRoutes = (answers: Answers, options: AccessOptions) =>
  new Elysia({ name: "companies", prefix: "/companies" })
    .use(access(options))
    .use(target())
    .get("/", ({ request, target }) => answers.list(list, { request, target }))
    .get("/:code", ({ request, target, params: { code } }) =>
      answers.one(companies, code, { request, target }),
    )
    .get("/:code/tenements", ({ request, target, params: { code } }) =>
      answers.list(tenementsOfCompany, { request, target }, code),
    )
    .get("/:code/subsidiaries", ({ request, target, params: { code } }) =>
      answers.list(subsidiariesOfCompany, { request, target }, code),
    )
