import { Elysia } from "elysia"
import { listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { companies as resource } from "../resources/companies.ts"
import { ofParent, subsidiaries } from "../resources/subsidiaries.ts"
import { ofCompany, tenements } from "../resources/tenements.ts"

const all = listEndpoint({ resource, filters: ["search", "sector", "active"] })

const tenementsOfCompany = listEndpoint({
  resource: tenements,
  filters: ["state", "status"],
  belongsTo: { resource, scope: ofCompany },
})

const subsidiariesOfCompany = listEndpoint({
  resource: subsidiaries,
  filters: [],
  belongsTo: { resource, scope: ofParent },
})

export const companies = (options: AnswersOptions) =>
  new Elysia({ name: "companies", prefix: "/companies" })
    .use(answers(options))
    .get("/", ({ list }) => list(), { lists: all })
    .get("/:code", ({ one, params: { code } }) => one(resource, code))
    .get("/:code/tenements", ({ list }) => list(), { lists: tenementsOfCompany })
    .get("/:code/subsidiaries", ({ list }) => list(), { lists: subsidiariesOfCompany })
