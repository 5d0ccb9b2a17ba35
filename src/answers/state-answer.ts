/**
 * The response to a request for a list that belongs to no release, but shows a state that may change at
 * any time. It is short: it is read whole, and a page is a part of it. Its entity tag is a function of the
 * state's own version; its headers name no release, and later pages show the state of their own time.
 */
import type { AccountId } from "../db/pool/turns.ts"
import { stateTag } from "../http/entity-tag.ts"
import { offsetOf, pageMeta } from "../http/page.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import type { AnswerOptions } from "./answer-options.ts"
import type { ListPlan } from "./list-plan.ts"
import { toAnswer } from "./page-answer.ts"
import {
  answerOf,
  apiResponseHeaders,
  cacheStatus,
  fileName,
  isKnown,
  notModified,
  respond,
  stateHeaders,
  writerOf,
} from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"

export interface State {
  /** Another one whenever any of the records is. */
  version: string
  /** All of them, in an order in which new ones come last: later pages show a later state. */
  records: readonly ResourceRecord[]
}

/** May throw Unavailable. */
export type ReadState = (account: AccountId) => Promise<State>

export type AnswerState = (
  context: RequestContext,
  plan: ListPlan,
  read: ReadState,
) => Promise<Response>

export const createStateAnswer =
  ({ baseUrl }: Pick<AnswerOptions, "baseUrl">): AnswerState =>
  async (context, plan, read) => {
    const { version, records } = await read(accountOf(context))
    const headers = stateHeaders(stateTag(version, plan.key, plan.format), plan.format)
    if (isKnown(context.request, headers.ETag)) {
      return notModified(apiResponseHeaders(headers), cacheStatus.bypass)
    }
    const answer = plan.all
      ? answerOf(
          { ...headers, ...fileName(plan), "X-Total-Count": String(records.length) },
          wholeText(plan, records),
        )
      : toAnswer({ plan, headers }, pageRecords(plan, records), metaOf(plan, records), baseUrl)
    return respond(context.request, answer, cacheStatus.bypass)
  }

const metaOf = ({ page, perPage }: ListPlan, { length }: State["records"]) =>
  pageMeta(length, page, perPage)

function pageRecords({ page, perPage }: ListPlan, records: State["records"]) {
  const offset = offsetOf(page, perPage)
  return records.slice(offset, offset + perPage)
}

function wholeText(plan: ListPlan, records: State["records"]): string {
  if (plan.format === "json") throw new Error("An export is never in JSON")
  const { head, rows } = writerOf(plan, plan.format)
  return head + rows(records)
}
