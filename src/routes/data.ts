/** The routes of the data: one for each endpoint with lists or records. */
import { Elysia } from "elysia"
import { type ResponsesOptions, responses } from "../plugins/responses.ts"
import { endpoints } from "./endpoints.ts"

export const data = (options: ResponsesOptions) => {
  const app = new Elysia({ name: "data" }).use(responses(options))
  for (const endpoint of endpoints) {
    if (endpoint.kind !== "object") app.get(endpoint.path, ({ respond }) => respond(endpoint))
  }
  return app
}
