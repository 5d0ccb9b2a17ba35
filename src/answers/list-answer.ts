/**
 * The response to a list request: resolve the release, answer 304 if the client has that response, read,
 * represent. Every response with data is a function of (query, release), and its
 * headers say so.
 */
import type { List } from "../db/reader/list.ts"
import type { Release } from "../db/reader/releases.ts"
import { invalidParameters } from "../http/api-error.ts"
import type { AnswerOptions } from "./answer-options.ts"
import { exportAnswer } from "./export-answer.ts"
import type { ListPlan } from "./list-plan.ts"
import { pageAnswer } from "./page-answer.ts"
import {
  apiResponseHeaders,
  cacheStatus,
  type DataHeaders,
  dataHeaders,
  isKnown,
  notModified,
  respond,
  statusWhenMade,
} from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"
import { answerOnceMore, createReleaseResolver } from "./resolve-release.ts"

/** A plan whose release is known. */
export interface ResolvedPlan {
  plan: ListPlan
  /** With the releases that it compares with. */
  list: List
  release: Release
  /** The headers that every response to this query at this release has. */
  headers: DataHeaders
}

export type AnswerList = (context: RequestContext, plan: ListPlan) => Promise<Response>

export function createListAnswer(options: AnswerOptions): AnswerList {
  const { releases, cachedAnswers, pins } = options
  const resolver = createReleaseResolver(releases, options.now)

  return async (context, planned) => {
    const account = accountOf(context)
    const isLater = !planned.all && planned.page > 1
    const sequence = `${context.reader} ${planned.sequenceId}`
    const pinned = isLater ? await pins.pinned(sequence) : undefined
    const resolve = () => resolver.resolve(planned.points.asOf, account)
    let shown = pinned

    async function answer(release: Release): Promise<Response> {
      shown = release
      const cached = planned.cacheable ? cachedAnswers.get(release, planned.id) : undefined
      if (cached) return respond(context.request, cached, cacheStatus.hit)
      const plan = await resolver.withOldest(planned, account)
      const headers = dataHeaders(release, plan.key, plan.format)
      if (isKnown(context.request, headers.ETag)) {
        return notModified(apiResponseHeaders(headers), statusWhenMade(plan))
      }
      const list = await resolver.comparing(plan.list, plan.points, { release, account })
      const resolvedPlan = { plan, list, release, headers }
      return (plan.all ? exportAnswer : pageAnswer)(options, context, resolvedPlan)
    }

    /** A pin of a database that was restored since is ignored; pages of a pruned release are not mixed with others. */
    async function resolveAgain(): Promise<Release> {
      if (pinned && pinned.id < (await releases.oldest(account))) throw startAgain(pinned)
      return resolve()
    }

    const response = await answerOnceMore(pinned ?? (await resolve()), resolveAgain, answer)
    if (shown && !planned.all && shown !== pinned) {
      await pins.pin(sequence, shown, isLater && !pinned ? "if absent" : "replace")
    }
    return response
  }
}

function startAgain({ id }: Release) {
  const message = `Release ${id}, which page 1 showed, is no longer available; start again at page 1`
  return invalidParameters([{ parameter: "page", message }])
}
