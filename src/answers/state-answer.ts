/**
 * The response to a request for a list that belongs to no release, but shows a state that may change at
 * any time. It is short: it is read whole, and a page is a part of it. Its entity tag is a function of the
 * state's own version; its headers name no release, and later pages show the state of their own time.
 */
import { entityTag } from "../http/entity-tag.ts"
import { offsetOf, pageMeta } from "../http/page.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import type { Asked } from "./asked.ts"
import { pageContent, wholeContent } from "./list-content.ts"
import type { ListPlan } from "./list-plan.ts"
import { cacheStatus, represent } from "./represent.ts"

export interface State {
  /** Another one whenever any of the records is. */
  version: string
  /** All of them, in an order in which new ones come last: later pages show a later state. */
  records: readonly ResourceRecord[]
}

/** May throw Unavailable. */
export type ReadState = (account: number) => Promise<State>

/** @param baseUrl the service's public address, which links carry; empty for relative links */
export async function answerState(
  asked: Asked,
  plan: ListPlan,
  read: ReadState,
  baseUrl: string,
): Promise<Response> {
  const { version, records } = await read(asked.account)
  const { format, page, per_page } = plan
  const validators = { ETag: entityTag(version, plan.tagKey, format) }
  const total = records.length
  const offset = offsetOf(page, per_page)
  const shown = {
    records: records.slice(offset, offset + per_page),
    meta: pageMeta(total, page, per_page),
  }
  const content = plan.all
    ? wholeContent(plan, validators, records)
    : pageContent(plan, validators, shown, baseUrl)
  return represent(asked, content, cacheStatus.bypass)
}
