import { Elysia } from "elysia"
import { listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { reports as resource } from "../resources/reports.ts"

const all = listEndpoint({ resource, filters: ["company", "type", "from", "to", "search"] })

export const reports = (options: AnswersOptions) =>
  new Elysia({ name: "reports", prefix: "/reports" })
    .use(answers(options))
    .get("/", ({ list }) => list(), { lists: all })
    .get("/:hash", ({ one, params: { hash } }) => one(resource, hash))
