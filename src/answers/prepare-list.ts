/**
 * A list request as far as it follows from the request alone: its plan, and its page in its page
 * sequence. It is prepared before the request is admitted, where what it asks Redis can then be sent
 * in the same round trip.
 */
import type { CacheSizes } from "../db/cache.ts"
import type { Release } from "../db/reader/releases.ts"
import type { AttachedCall } from "../redis/script.ts"
import type { CachedAnswers } from "./cached-answers.ts"
import { createPlans } from "./cached-plans.ts"
import type { ListEndpoint } from "./list-endpoint.ts"
import type { ListPlan } from "./list-plan.ts"
import type { RequestContext } from "./request-context.ts"
import type { PageSequences } from "./sequences/page-sequences.ts"
import { type PreparedPages, pagesOf, type ShownFirst } from "./sequences/pages-of.ts"

export interface PreparedList {
  plan: ListPlan
  pages: PreparedPages
}

/** The list that a route answers with. */
export interface RequestedList {
  endpoint: ListEndpoint
  /** The key of the record that the list belongs to, from the path. */
  parent: string
}

export type ListContext = Pick<RequestContext, "path" | "query" | "format" | "caller" | "address">

export interface ListPreparation {
  /** @throws ApiError INVALID_PARAMETER; NOT_FOUND for a parent that cannot exist */
  prepare(context: ListContext, list: RequestedList): PreparedList
  /** What the list will ask Redis, as far as it is known without asking the database. */
  attach(prepared: PreparedList): AttachedCall | undefined
}

export interface PreparationOptions {
  sequences: PageSequences
  cachedAnswers: CachedAnswers
  cacheSizes: Pick<CacheSizes, "plans">
  /** The newest release, if it is known without asking. */
  cachedRelease: () => Release | undefined
  now: () => Date
}

export function createListPreparation({
  sequences,
  cachedAnswers,
  cacheSizes,
  cachedRelease,
  now,
}: PreparationOptions): ListPreparation {
  const planOf = createPlans(cacheSizes)

  /** What page 1 will show if its answer is cached. */
  function shownFirst({ id, page, points }: ListPlan): ShownFirst | undefined {
    if (page > 1 || points.asOf !== undefined) return undefined
    const release = cachedRelease()
    const answer = release && cachedAnswers.peek(release, id)
    return answer && { release, pages: answer.totalPages }
  }

  return {
    prepare: (context, { endpoint, parent }) => {
      const plan = planOf(endpoint, context, parent)
      return { plan, pages: pagesOf(sequences, context, plan, now().getTime()) }
    },
    attach: ({ plan, pages }) => pages.attach(shownFirst(plan)),
  }
}
