/** Answers the questions that the route groups ask. */
import type { RateLimitOptions } from "../plugins/rate-limit.ts"
import type { Answers } from "../responses/answers.ts"
import type { DataRequest, Sent } from "../responses/data-request.ts"
import type { DataEndpoint } from "../responses/endpoint.ts"
import type { Ask } from "../responses/question.ts"

export interface DataOptions extends RateLimitOptions {
  answers: Answers
  ask: Ask
}

/**
 * Makes the function that responds to a request of an endpoint.
 * @returns its `key` is the key of the record, or of the list's parent, as the path has it; empty without one
 */
export const responder =
  ({ answers, ask }: Pick<DataOptions, "answers" | "ask">) =>
  (endpoint: DataEndpoint, asked: DataRequest & Sent, key = ""): Promise<Response> =>
    answers.respond(asked, ask(endpoint, asked, key))
