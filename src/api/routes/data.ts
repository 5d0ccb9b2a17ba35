/** Answers the questions that the route groups ask. */
import type { RateLimitOptions } from "../plugins/rate-limit.ts"
import type { Answers } from "../responses/answers.ts"
import type { Ask } from "../responses/ask.ts"
import type { DataRequest, Sent } from "../responses/data-request.ts"
import type { DataEndpoint } from "../responses/endpoint.ts"

export interface DataOptions extends RateLimitOptions {
  answers: Answers
  ask: Ask
}

interface Asking {
  asked: DataRequest & Sent
  /** The key of the record, or of the list's parent, as the path has it; undefined for a path without one. */
  params?: Readonly<Record<string, string>>
}

/** Returns a function that makes the handler of an endpoint. */
export const responder =
  ({ answers, ask }: Pick<DataOptions, "answers" | "ask">) =>
  (endpoint: DataEndpoint) => {
    const [, name = ""] = /:(\w+)/.exec(endpoint.path) ?? []
    return ({ asked, params }: Asking): Promise<Response> =>
      answers.respond(asked, ask(endpoint, asked, params?.[name] ?? ""))
  }
