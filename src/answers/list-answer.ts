/**
 * The response to a list request: plan, resolve the release, answer 304 if the client has that
 * response, read, represent. Every response with data is a function of (query, release), and its
 * headers say so.
 */
import type { List } from "../db/reader/list.ts"
import { type Release, ReleaseUnavailable } from "../db/reader/releases.ts"
import type { AnswerOptions } from "./answer-options.ts"
import { exportAnswer } from "./export-answer.ts"
import type { ListEndpoint } from "./list-endpoint.ts"
import { type ListPlan, planList } from "./list-plan.ts"
import { pageAnswer } from "./page-answer.ts"
import { dataHeaders, isKnown, notModified } from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"
import { createReleaseResolver } from "./resolve-release.ts"
import { pagesOf, type SequencePages } from "./sequences/pages-of.ts"

/** A plan whose release is known. */
export interface ResolvedPlan {
  plan: ListPlan
  /** With the releases that it compares with. */
  list: List
  release: Release
  /** The headers that every response to this query at this release has. */
  headers: Record<string, string>
  pages: SequencePages
}

/** @param parent the key of the record that the list belongs to, from the path */
export type AnswerList = (
  context: RequestContext,
  endpoint: ListEndpoint,
  parent?: string,
) => Promise<Response>

export function createListAnswer(options: AnswerOptions): AnswerList {
  const resolver = createReleaseResolver(options.releases, options.now)

  return async (context, endpoint, parent = "") => {
    const plan = planList(endpoint, context, parent)
    const account = accountOf(context)
    const pages = pagesOf(options.sequences, context, plan, options.now().getTime())
    const pinned = await pages.release()
    const release = pinned ?? (await resolver.resolve(plan.points.asOf, account))
    const headers = dataHeaders(release, plan.key, plan.format)
    if (isKnown(context.request, headers)) {
      await pages.begin(release)
      return notModified(headers)
    }
    const list = await resolver.comparing(plan.list, plan.points, { release, account })
    const resolved = { plan, list, release, headers, pages }
    if (plan.all) return exportAnswer(options, context, resolved)
    return pageAnswer(options, context, resolved).catch(async (error: unknown) => {
      throw pinned && error instanceof ReleaseUnavailable ? await pages.lose(pinned) : error
    })
  }
}
