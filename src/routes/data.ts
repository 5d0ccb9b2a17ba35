/** The routes of the data: one for each endpoint with lists or records. */
import { Elysia } from "elysia"
import type { ReadState } from "../answers/state-answer.ts"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { endpoints } from "./endpoints.ts"

export interface DataOptions extends AnswersOptions {
  readSources: ReadState
}

export const data = (options: DataOptions) => {
  const app = new Elysia({ name: "data" }).use(answers(options))
  for (const { path, endpoint } of endpoints) {
    if (endpoint.kind === "record") app.get(path, ({ record }) => record(endpoint))
    if (endpoint.kind === "list") {
      app.get(path, ({ list, state }) =>
        endpoint.ofNoRelease ? state(endpoint, options.readSources) : list(endpoint),
      )
    }
  }
  return app
}
