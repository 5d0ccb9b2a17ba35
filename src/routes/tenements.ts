import { Elysia } from "elysia"
import { listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { tenements as resource } from "../resources/tenements.ts"

const all = listEndpoint({ resource, filters: ["state", "status", "type", "holder"] })

export const tenements = (options: AnswersOptions) =>
  new Elysia({ name: "tenements", prefix: "/tenements" })
    .use(answers(options))
    .get("/", ({ list }) => list(), { lists: all })
    .get("/:id", ({ one, params: { id } }) => one(resource, id))
