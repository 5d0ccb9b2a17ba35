import { Elysia } from "elysia"
import { recordEndpoint } from "../answers/endpoint.ts"
import { listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { companies as resource } from "../resources/companies.ts"
import { belongsToParent, subsidiaries } from "../resources/subsidiaries.ts"
import { belongsToCompany, tenements } from "../resources/tenements.ts"
import { ofRecord, versionsOf } from "../resources/versions.ts"

export const companyList = listEndpoint({
  description:
    "Ordered by name, unless `sort` says otherwise; only companies that are listed today, unless `active` is `false`.",
  resource,
  filters: Object.keys(resource.filters),
})

export const company = recordEndpoint(resource)

export const tenementsOfCompany = listEndpoint({
  description:
    "Those that the company or one of its subsidiaries holds, ordered by `id`, unless `sort` says otherwise.",
  resource: tenements,
  filters: Object.keys(tenements.filters).filter((name) => name !== "company"),
  belongsTo: { resource, scope: belongsToCompany },
})

export const subsidiariesOfCompany = listEndpoint({
  description: "Ordered by name.",
  resource: subsidiaries,
  filters: [],
  belongsTo: { resource, scope: belongsToParent },
})

export const companyHistory = listEndpoint({
  description: "Newest first.",
  resource: versionsOf(resource),
  filters: [],
  belongsTo: ofRecord(resource),
})

export const companies = (options: AnswersOptions) =>
  new Elysia({ name: "companies", prefix: "/companies" })
    .use(answers(options))
    .get("/", ({ list }) => list(companyList))
    .get("/:code", ({ record }) => record(company))
    .get("/:code/tenements", ({ list }) => list(tenementsOfCompany))
    .get("/:code/subsidiaries", ({ list }) => list(subsidiariesOfCompany))
    .get("/:code/history", ({ list }) => list(companyHistory))
