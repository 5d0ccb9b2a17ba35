import { Elysia } from "elysia"
import { listEndpoint } from "../answers/list-endpoint.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { releases as resource } from "../resources/releases.ts"

export const releaseList = listEndpoint({ description: "Newest first.", resource, filters: [] })

export const releases = (options: AnswersOptions) =>
  new Elysia({ name: "releases", prefix: "/releases" })
    .use(answers(options))
    .get("/", ({ list }) => list(releaseList))
