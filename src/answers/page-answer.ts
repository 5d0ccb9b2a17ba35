import { ApiError } from "../http/api-error.ts"
import { linkHeader, offsetOf, type PageMeta, pageMeta } from "../http/page.ts"
import { step } from "../telemetry/steps.ts"
import type { AnswerOptions } from "./answer-options.ts"
import type { Answer } from "./cached-answers.ts"
import type { ResolvedPlan } from "./list-answer.ts"
import type { ListPlan } from "./list-plan.ts"
import { answerOf, fileName, respond, statusWhenMade, writerOf } from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"

type Records = readonly Readonly<Record<string, unknown>>[]

/** One page of a list. @throws ApiError NOT_FOUND if its parent does not exist; Unavailable */
export async function pageAnswer(
  { reader, cachedAnswers, baseUrl }: Pick<AnswerOptions, "reader" | "cachedAnswers" | "baseUrl">,
  context: RequestContext,
  resolved: ResolvedPlan,
): Promise<Response> {
  const { plan, list, release } = resolved
  const bounds = { offset: offsetOf(plan.page, plan.perPage), limit: plan.perPage }
  const options = { release, account: accountOf(context) }
  const found = await step("read", () => reader.page(list, bounds, options))
  if (!found) throw new ApiError("NOT_FOUND")
  const meta = pageMeta(found.total, plan.page, plan.perPage)
  // Callers that ask at the same time share one answer.
  let answer = plan.cacheable ? cachedAnswers.peek(release, plan.id) : undefined
  if (!answer) {
    answer = step("represent", () => toAnswer(resolved, found.records, meta, baseUrl))
    if (plan.cacheable) cachedAnswers.set(release, plan.id, answer)
  }
  return respond(context.request, answer, statusWhenMade(plan))
}

/** @param headers that every response to this query has */
export function toAnswer(
  { plan, headers }: Pick<ResolvedPlan, "plan" | "headers">,
  records: Records,
  meta: PageMeta,
  baseUrl: string,
): Answer {
  const shown = {
    ...headers,
    ...fileName(plan),
    "X-Total-Count": String(meta.total),
    "X-Total-Pages": String(meta.total_pages),
    Link: linkHeader(`${baseUrl}${plan.path}`, plan.canonical, meta),
  }
  return answerOf(shown, textOf(plan, records, meta))
}

function textOf(plan: ListPlan, records: Records, meta: PageMeta): string {
  if (plan.format === "json") return JSON.stringify({ data: records, meta })
  const { head, rows } = writerOf(plan, plan.format)
  return head + rows(records)
}
