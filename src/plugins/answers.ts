/** Lists and records, for routes to answer with. */
import { Elysia } from "elysia"
import type { AnswerOptions } from "../answers/answer-options.ts"
import type { PlanOf } from "../answers/cached-plans.ts"
import { createListAnswer } from "../answers/list-answer.ts"
import { createRecordAnswer } from "../answers/record-answer.ts"
import { createStateAnswer, type ReadState } from "../answers/state-answer.ts"
import { apiHeaders } from "../http/api-headers.ts"
import { endpointOfRoute } from "./endpoint-of-route.ts"
import { negotiation } from "./negotiation.ts"
import { type RateLimitOptions, rateLimit } from "./rate-limit.ts"
import { contextFields } from "./request-context.ts"
import { requestTarget } from "./request-target.ts"

export type AnswersOptions = AnswerOptions & RateLimitOptions & { planOf: PlanOf }

/** Gives `list`, `state` and `one`. Behind the chain that they need; each of its plugins runs once. */
export const answers = (options: AnswersOptions) => {
  const answerList = createListAnswer(options)
  const answerState = createStateAnswer(options)
  const answerRecord = createRecordAnswer(options)
  return new Elysia({ name: "answers" })
    .use(contextFields())
    .use(endpointOfRoute())
    .use(rateLimit(options))
    .use(requestTarget())
    .use(negotiation())
    .resolve(
      ({
        request,
        requestId,
        server,
        caller,
        target,
        format,
        set,
        requestedList,
        requestedRecord,
      }) => {
        const disableIdleTimeout = () => server?.timeout(request, 0)
        const context = {
          request,
          requestId,
          caller,
          reader: `token ${caller.tokenId}`,
          ...target,
          format,
          disableIdleTimeout,
        }
        return {
          /** The list that the route declares. */
          list: async () => {
            if (!requestedList) throw new Error("The route declares no list")
            const plan = options.planOf(requestedList, context)
            return withHeadersSet(set, await answerList(context, plan))
          },
          /** The list that the route declares, which belongs to no release. */
          state: async (read: ReadState) => {
            if (!requestedList) throw new Error("The route declares no list")
            const plan = options.planOf(requestedList, context)
            return withHeadersSet(set, await answerState(context, plan, read))
          },
          /** The record that the route declares. */
          one: async () => {
            if (!requestedRecord) throw new Error("The route declares no record")
            const { resource, key } = requestedRecord
            return withHeadersSet(set, await answerRecord(context, resource, key))
          },
        }
      },
    )
    .as("scoped")
}

interface Settable {
  headers: Record<string, string | number | string[] | undefined>
}

/**
 * Adds what the plugins have set for this request. The headers that every response of the API has are
 * there already; Elysia would look each of them up again.
 */
function withHeadersSet(set: Settable, response: Response): Response {
  const { headers } = response
  for (const name in set.headers) {
    if (!(name in apiHeaders)) headers.set(name, String(set.headers[name]))
  }
  set.headers = {}
  return response
}
