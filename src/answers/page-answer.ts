import { ApiError } from "../http/api-error.ts"
import { linkHeader, offsetOf, pageMeta } from "../http/page.ts"
import type { AnswerOptions } from "./answer-options.ts"
import type { ResolvedPlan } from "./list-answer.ts"
import { fileName, respond, writerOf } from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"

/** One page of a list. @throws ApiError NOT_FOUND if its parent does not exist; Unavailable */
export async function pageAnswer(
  { reader, baseUrl }: AnswerOptions,
  context: RequestContext,
  { plan, list, release, headers, pages }: ResolvedPlan,
): Promise<Response> {
  const { page, perPage, format } = plan
  const place = { offset: offsetOf(page, perPage), limit: perPage }
  const found = await reader.page(list, place, { release, account: accountOf(context) })
  if (!found) throw new ApiError("NOT_FOUND")
  const meta = pageMeta(found.total, page, perPage)
  if (meta.total_pages > 1) await pages.begin(release, meta.total_pages)
  const shown = {
    ...headers,
    ...fileName(plan),
    "X-Total-Count": String(meta.total),
    "X-Total-Pages": String(meta.total_pages),
    Link: linkHeader(`${baseUrl}${plan.path}`, plan.canonical, meta),
  }
  if (format === "json") {
    return respond(context.request, shown, JSON.stringify({ data: found.records, meta }))
  }
  const { head, row } = writerOf(plan, format)
  return respond(context.request, shown, head + found.records.map(row).join(""))
}
