/** Lists and records, for routes to answer with. */
import { Elysia } from "elysia"
import type { AnswerOptions } from "../answers/answer-options.ts"
import { createListAnswer } from "../answers/list-answer.ts"
import type { ListEndpoint } from "../answers/list-endpoint.ts"
import { createRecordAnswer } from "../answers/record-answer.ts"
import type { Readable } from "../resources/resource.ts"
import { negotiation } from "./negotiation.ts"
import { type RateLimitOptions, rateLimit } from "./rate-limit.ts"
import { contextFields } from "./request-context.ts"
import { requestTarget } from "./request-target.ts"

export type AnswersOptions = AnswerOptions & RateLimitOptions

/** Gives `list` and `one`. Behind the chain that they need; each of its plugins runs once. */
export const answers = (options: AnswersOptions) => {
  const answerList = createListAnswer(options)
  const answerRecord = createRecordAnswer(options)
  return new Elysia({ name: "answers" })
    .use(contextFields())
    .use(rateLimit(options))
    .use(requestTarget())
    .use(negotiation())
    .resolve(({ request, requestId, address, server, caller, target, format }) => {
      const disableIdleTimeout = () => server?.timeout(request, 0)
      const context = {
        request,
        requestId,
        address,
        caller,
        ...target,
        format,
        disableIdleTimeout,
      }
      return {
        /** @param parent the key of the record that the list belongs to, from the path */
        list: (endpoint: ListEndpoint, parent?: string) => answerList(context, endpoint, parent),
        one: (resource: Readable, key: string) => answerRecord(context, resource, key),
      }
    })
    .as("scoped")
}
