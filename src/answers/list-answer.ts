/**
 * Serves a list: resolves the release, returns the cached response or 304, reads, represents. Every response
 * with data is a function of (query, release).
 */

import type { AccountId } from "../db/pool/turns.ts"
import type { FacetOptions } from "../db/reader/facets.ts"
import type { Reader } from "../db/reader/reader.ts"
import type { ReadOptions } from "../db/reader/reads.ts"
import type { Release } from "../db/reader/releases.ts"
import type { List } from "../db/reader/statements.ts"
import { ApiError, invalidParameters } from "../http/api-error.ts"
import { offsetOf, type PageMeta, pageMeta, pageOf } from "../http/page.ts"
import { pick, type ResourceRecord } from "../resources/resource.ts"
import { step } from "../telemetry/steps.ts"
import type { Asked, Asker } from "./asked.ts"
import type { ReleaseResolver } from "./at-release.ts"
import type { CachedAnswers } from "./cached-answers.ts"
import { type ExportOptions, exportAnswer } from "./export-answer.ts"
import { pageContent, wholeContent } from "./list-content.ts"
import type { ListPlan } from "./list-plan.ts"
import { cacheStatus, isKnown, notModified, represent, validatorsOf } from "./represent.ts"
import { answerState, type StateOptions } from "./state-answer.ts"

export interface ListOptions extends ExportOptions, StateOptions {
  resolver: ReleaseResolver
  reader: Reader
  cachedAnswers: CachedAnswers
}

/** A list whose release is known. */
export interface ResolvedPlan {
  plan: ListPlan
  /** Includes the releases that it compares with. */
  list: List
  release: Release
}

export interface ListPage {
  records: readonly ResourceRecord[]
  meta: PageMeta
  release: Release
}

export type ListAnswers = ReturnType<typeof createListAnswers>

/** @throws ApiError INVALID_PARAMETER, NOT_FOUND if the list's parent does not exist; Unavailable; ReleaseUnavailable */
export function createListAnswers(options: ListOptions) {
  const { reader, cachedAnswers, baseUrl } = options
  const { atRelease, listAt } = options.resolver

  const resolveAt = async (plan: ListPlan, { release, account }: ReadOptions) => ({
    plan,
    list: await listAt(plan, release, account),
    release,
  })

  async function readFacet({ list, release }: ResolvedPlan, facet: string, account: AccountId) {
    const counts = await reader.facet(list, facet, { release, account })
    if (counts) return counts
    const message = "Has too many values in this list to count them: add a filter"
    throw invalidParameters([{ parameter: facet, message }])
  }

  async function readPage(resolved: ResolvedPlan, account: AccountId) {
    const { plan, list, release } = resolved
    const { page, per_page, facet, fields } = plan
    if (facet !== undefined) {
      const counts = await step("read", () => readFacet(resolved, facet, account))
      return { ...pageOf(counts, page, per_page), release }
    }
    const bounds = { offset: offsetOf(page, per_page), limit: per_page }
    const found = await step("read", () => reader.page(list, bounds, { release, account }))
    if (!found) throw new ApiError("NOT_FOUND")
    const records = fields ? found.records.map((each) => pick(each, fields)) : found.records
    return { records, meta: pageMeta(found.total, page, per_page), release }
  }

  async function answerAt(release: Release, plan: ListPlan, asked: Asked): Promise<Response> {
    const { answerKey, format, cacheable, cacheBuster } = plan
    const cached = cacheable ? cachedAnswers.get(release, answerKey) : undefined
    if (cached) return represent(asked, cached, cacheStatus.hit, cacheBuster)
    const status = cacheable ? cacheStatus.miss : cacheStatus.bypass
    const resolved = await resolveAt(plan, { release, account: asked.account })
    const { identity } = resolved.list
    const compared = identity === plan.identity ? "" : ` ${identity}`
    const validators = validatorsOf(release, plan.tagKey + compared, format)
    if (isKnown(asked.request, validators)) return notModified(asked, validators, status)
    if (plan.all) {
      if (plan.facet === undefined) return exportAnswer(options, asked, resolved, validators)
      const counts = await readFacet(resolved, plan.facet, asked.account)
      return represent(asked, await wholeContent(plan, validators, counts), status)
    }
    const page = await readPage(resolved, asked.account)
    const make = () => step("represent", () => pageContent(plan, validators, page, baseUrl))
    const content = cacheable ? cachedAnswers.share(release, answerKey, make) : make()
    return represent(asked, content, status, cacheBuster)
  }

  /** Reads one page at a release, whatever the release of the plan. It pins none. */
  const readAt = async (plan: ListPlan, options: ReadOptions): Promise<ListPage> =>
    readPage(await resolveAt(plan, options), options.account)

  return {
    answer: (asked: Asked, plan: ListPlan): Promise<Response> =>
      plan.ofNoRelease
        ? answerState(options, asked, plan)
        : atRelease(plan, asked, (release) => answerAt(release, plan, asked)),

    /** Reads one page for the explorer and the tools of assistants. */
    read: (asker: Asker, plan: ListPlan): Promise<ListPage> =>
      atRelease(plan, asker, (release) => readAt(plan, { release, account: asker.account })),

    readAt,

    /** Counts the values of a filter in a list; null for too many. */
    facetAt: async (plan: ListPlan, filter: string, options: FacetOptions) =>
      reader.facet((await resolveAt(plan, options)).list, filter, options),

    /** Reads the first records of a list, without its total. */
    firstAt: async (plan: ListPlan, most: number, options: ReadOptions) =>
      reader.first((await resolveAt(plan, options)).list, most, options),

    /** Counts the records of a list; null if its parent does not exist. */
    totalAt: async (plan: ListPlan, options: ReadOptions) =>
      reader.total((await resolveAt(plan, options)).list, options),
  }
}
