/**
 * Serves a short list that belongs to no release and may change at any time. It is read whole for every
 * page. Its entity tag is a function of the version of the state; its headers name no release, and later
 * pages may show a later state.
 */
import { entityTag } from "../http/entity-tag.ts"
import { offsetOf, pageMeta } from "../http/page.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import type { Asked } from "./asked.ts"
import { pageContent, wholeContent } from "./list-content.ts"
import type { ListPlan } from "./list-plan.ts"
import { cacheStatus, represent } from "./represent.ts"

export interface State {
  /** Changes whenever a record changes. */
  version: string
  /** All records. New ones come last, so that pages of different states do not overlap. */
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
    ? await wholeContent(plan, validators, records)
    : pageContent(plan, validators, shown, baseUrl)
  return represent(asked, content, cacheStatus.bypass)
}
