/**
 * The response to a list request: plan, resolve the release, answer 304 if the client has that
 * response, read, represent. Every response with data is a function of (query, release), and its
 * headers say so.
 */
import type { List } from "../db/reader/list.ts"
import { type Release, ReleaseUnavailable } from "../db/reader/releases.ts"
import type { AnswerOptions } from "./answer-options.ts"
import { exportAnswer } from "./export-answer.ts"
import type { ListPlan } from "./list-plan.ts"
import { pageAnswer } from "./page-answer.ts"
import type { PreparedList } from "./prepare-list.ts"
import {
  apiResponseHeaders,
  cacheStatus,
  type DataHeaders,
  dataHeaders,
  isKnown,
  notModified,
  respond,
  statusWhenMade,
  tagKey,
} from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"
import { answerOnceMore, createReleaseResolver } from "./resolve-release.ts"
import type { SequencePages } from "./sequences/pages-of.ts"

/** A plan whose release is known. */
export interface ResolvedPlan {
  plan: ListPlan
  /** With the releases that it compares with. */
  list: List
  release: Release
  /** The headers that every response to this query at this release has. */
  headers: DataHeaders
  pages: SequencePages
}

export type AnswerList = (context: RequestContext, prepared: PreparedList) => Promise<Response>

export function createListAnswer(options: AnswerOptions): AnswerList {
  const resolver = createReleaseResolver(options.releases, options.now)

  return async (context, { plan: planned, pages }) => {
    const account = accountOf(context)
    const pinned = await pages.release()
    const resolve = () => resolver.resolve(planned.points.asOf, account)
    const resolved = pinned ?? (await resolve())
    const cached = planned.cacheable ? options.cachedAnswers.get(resolved, planned.id) : undefined
    if (cached) {
      await pages.begin(resolved, cached.totalPages)
      return respond(context.request, cached, cacheStatus.hit)
    }

    async function answer(release: Release): Promise<Response> {
      const plan = await resolver.withOldest(planned, account)
      const headers = dataHeaders(release, tagKey(plan.key, options.holders), plan.format)
      if (isKnown(context.request, headers.ETag)) {
        await pages.begin(release)
        return notModified(apiResponseHeaders(headers), statusWhenMade(plan))
      }
      const list = await resolver.comparing(plan.list, plan.points, { release, account })
      const resolvedPlan = { plan, list, release, headers, pages }
      return (plan.all ? exportAnswer : pageAnswer)(options, context, resolvedPlan)
    }

    if (!pinned) return answerOnceMore(resolved, resolve, answer)
    return answer(pinned).catch(async (error: unknown) => {
      throw error instanceof ReleaseUnavailable ? await pages.lose(pinned) : error
    })
  }
}
