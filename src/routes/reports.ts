import { Elysia } from "elysia"
import { recordEndpoint } from "../answers/endpoint.ts"
import { listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { reports as resource } from "../resources/reports.ts"
import { ofRecord, versionsOf } from "../resources/versions.ts"

export const reportList = listEndpoint({
  description: "Newest first.",
  resource,
  filters: ["company", "type", "from", "to", "search"],
})

export const report = recordEndpoint(resource)

export const reportHistory = listEndpoint({
  description: "Newest first.",
  resource: versionsOf(resource),
  filters: [],
  belongsTo: ofRecord(resource),
})

export const reports = (options: AnswersOptions) =>
  new Elysia({ name: "reports", prefix: "/reports" })
    .use(answers(options))
    .get("/", ({ list }) => list(reportList))
    .get("/:hash", ({ record }) => record(report))
    .get("/:hash/history", ({ list }) => list(reportHistory))
