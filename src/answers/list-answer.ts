/**
 * A list: resolve the release, give the cached answer or 304, read, represent. Every response with data is a
 * function of (query, release), and its headers say so.
 */

import type { Reader } from "../db/reader/reader.ts"
import { type Release, releaseKey } from "../db/reader/releases.ts"
import type { List } from "../db/reader/statements.ts"
import { ApiError } from "../http/api-error.ts"
import { entityTag } from "../http/entity-tag.ts"
import { offsetOf, type PageMeta, pageMeta } from "../http/page.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import { step } from "../telemetry/steps.ts"
import type { Asked, Asker } from "./asked.ts"
import type { ReleaseResolver } from "./at-release.ts"
import type { CachedAnswers } from "./cached-answers.ts"
import { type ExportOptions, exportAnswer } from "./export-answer.ts"
import { pageContent, withCacheBuster } from "./list-content.ts"
import type { ListPlan } from "./list-plan.ts"
import { cacheStatus, contentOf, isKnown, releaseHeaders, represent } from "./represent.ts"

export interface ListOptions extends ExportOptions {
  resolver: ReleaseResolver
  reader: Reader
  cachedAnswers: CachedAnswers
  /** The service's public address, which links carry; empty for relative links. */
  baseUrl: string
}

/** A list whose release is known. */
export interface ResolvedPlan {
  plan: ListPlan
  /** With the releases that it compares with. */
  list: List
  release: Release
}

export interface ListPage {
  records: readonly ResourceRecord[]
  meta: PageMeta
  release: Release
}

/** @throws ApiError INVALID_PARAMETER, NOT_FOUND if the list's parent does not exist; Unavailable; ReleaseUnavailable */
export interface Lists {
  answer(asked: Asked, plan: ListPlan): Promise<Response>
  /** One page, for the pages of the explorer. */
  read(asker: Asker, plan: ListPlan): Promise<ListPage>
}

export function createLists(options: ListOptions): Lists {
  const { reader, cachedAnswers, baseUrl } = options
  const { atRelease, listAt } = options.resolver

  async function readPage({ plan, list, release }: ResolvedPlan, account: number) {
    const { page, perPage } = plan
    const bounds = { offset: offsetOf(page, perPage), limit: perPage }
    const found = await step("read", () => reader.page(list, bounds, { release, account }))
    if (!found) throw new ApiError("NOT_FOUND")
    return { records: found.records, meta: pageMeta(found.total, page, perPage), release }
  }

  async function answerAt(release: Release, plan: ListPlan, asked: Asked): Promise<Response> {
    const { id, format, cacheable } = plan
    const cached = cacheable ? cachedAnswers.get(release, id) : undefined
    if (cached) return represent(asked, withCacheBuster(cached, plan), cacheStatus.hit)
    const status = cacheable ? cacheStatus.miss : cacheStatus.bypass
    const list = await listAt(plan, release, asked.account)
    const compared = list === plan.list ? "" : ` ${list.identity}`
    const etag = entityTag(releaseKey(release), plan.key + compared, format)
    const headers = releaseHeaders(release)
    if (isKnown(asked.request, etag)) {
      return represent(asked, contentOf(etag, format, headers, null), status)
    }
    const resolved = { plan, list, release }
    if (plan.all) return exportAnswer(options, asked, resolved, etag)
    const page = await readPage(resolved, asked.account)
    // Callers that ask at the same time share one answer.
    let content = cacheable ? cachedAnswers.peek(release, id) : undefined
    if (!content) {
      content = step("represent", () => pageContent(plan, etag, headers, page, baseUrl))
      if (cacheable) cachedAnswers.set(release, id, content)
    }
    return represent(asked, withCacheBuster(content, plan), status)
  }

  return {
    answer: (asked, plan) => atRelease(plan, asked, (release) => answerAt(release, plan, asked)),

    read: (asker, plan) =>
      atRelease(plan, asker, async (release) => {
        const list = await listAt(plan, release, asker.account)
        return readPage({ plan, list, release }, asker.account)
      }),
  }
}
