import { Elysia } from "elysia"
import { listEndpoint } from "../answers/list-endpoint.ts"
import type { ReadState } from "../answers/state-answer.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { sources as resource } from "../resources/sources.ts"

export interface SourcesOptions extends AnswersOptions {
  readSources: ReadState
}

export const sourceList = listEndpoint({
  description:
    "In the order in which they were first loaded. It shows them as they are now, and belongs to no release: it changes with loads that publish none, too.",
  resource,
  filters: [],
  ofNoRelease: true,
})

export const sources = (options: SourcesOptions) =>
  new Elysia({ name: "sources", prefix: "/sources" })
    .use(answers(options))
    .get("/", ({ state }) => state(sourceList, options.readSources))
