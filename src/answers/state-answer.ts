/**
 * Serves the list of sources, which belongs to no release and may change at any time. It is read whole for
 * every page. Its entity tag is a function of the version of the state; its headers name no release, and later
 * pages may show a later state.
 */
import type { ReadSources } from "../db/reader/sources.ts"
import { entityTag } from "../http/entity-tag.ts"
import { pageOf } from "../http/page.ts"
import type { Asked } from "./asked.ts"
import { pageContent, wholeContent } from "./list-content.ts"
import type { ListPlan } from "./list-plan.ts"
import { cacheStatus, represent } from "./represent.ts"

export interface StateOptions {
  /** New sources come last, so that pages of different states do not overlap. */
  readSources: ReadSources
  /** The service's public address, which links carry; empty for relative links. */
  baseUrl: string
}

/** @throws Unavailable */
export async function answerState(
  { readSources, baseUrl }: StateOptions,
  asked: Asked,
  plan: ListPlan,
): Promise<Response> {
  const { version, records } = await readSources(asked.account)
  const { format, page, per_page } = plan
  const validators = { ETag: entityTag(version, plan.tagKey, format) }
  const content = plan.all
    ? await wholeContent(plan, validators, records)
    : pageContent(plan, validators, pageOf(records, page, per_page), baseUrl)
  return represent(asked, content, cacheStatus.bypass)
}
