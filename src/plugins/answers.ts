/** Gives routes the functions that serve lists and records. */
import { Elysia } from "elysia"
import type { Asked } from "../answers/asked.ts"
import type { RecordEndpoint } from "../answers/endpoint.ts"
import type { ListAnswers } from "../answers/list-answer.ts"
import type { ListEndpoint } from "../answers/list-endpoint.ts"
import type { PlanOf } from "../answers/list-plan.ts"
import type { RecordAnswers } from "../answers/record-answer.ts"
import { exchangeOf, liftIdleTimeout } from "./exchange.ts"
import { type RateLimitOptions, rateLimit } from "./rate-limit.ts"
import { requestTarget } from "./target.ts"

export interface AnswersOptions extends RateLimitOptions {
  lists: ListAnswers
  records: RecordAnswers
  planOf: PlanOf
}

/**
 * Gives `list` and `record`. The only parameter of a path is the key of the record or of the list's
 * parent.
 */
export const answers = (options: AnswersOptions) => {
  const { lists, records, planOf } = options
  return new Elysia({ name: "answers" })
    .use(rateLimit(options))
    .use(requestTarget())
    .resolve(({ request, server, caller, isCallerValid, target, params }) => {
      const exchange = exchangeOf(request)
      const asked: Asked = {
        request,
        requestId: exchange.id,
        target,
        headers: exchange.headers,
        account: caller.accountId,
        sequenceOwner: `token ${caller.tokenId}`,
        isCallerValid,
        liftIdleTimeout: () => liftIdleTimeout(server, request),
      }
      // `params` is undefined for a path without parameters, although its type excludes that.
      const [key = ""] = Object.values<string>(params ?? {})
      return {
        list: (endpoint: ListEndpoint) => lists.answer(asked, planOf(endpoint, target, key)),
        record: (endpoint: RecordEndpoint) => records.answer(asked, endpoint, key),
      }
    })
    .as("scoped")
}
