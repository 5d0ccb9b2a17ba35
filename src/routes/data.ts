/** The routes of the data: one for each endpoint with lists or records. */
import { Elysia } from "elysia"
import { type AnswersOptions, answers } from "../plugins/answers.ts"
import { endpoints } from "./endpoints.ts"

export const data = (options: AnswersOptions) => {
  const app = new Elysia({ name: "data" }).use(answers(options))
  for (const { path, endpoint } of endpoints) {
    if (endpoint.kind === "list") app.get(path, ({ list }) => list(endpoint))
    if (endpoint.kind === "record") app.get(path, ({ record }) => record(endpoint))
  }
  return app
}
