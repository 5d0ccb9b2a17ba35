/**
 * The one way to a response with data: resolve the release, return the cached response or 304, read, write the
 * content. Every response is a function of (query, release); that of sources, of their present state.
 */
import type { AccountId } from "../../data/db/pool/turns.ts"
import type { FacetOptions } from "../../data/reader/facets.ts"
import type { ReadFormerNames } from "../../data/reader/former-names.ts"
import type { Reader } from "../../data/reader/reader.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import type { Release } from "../../data/reader/releases.ts"
import type { ReadSources, SourceStates } from "../../data/reader/sources.ts"
import { companies } from "../../data/resources/companies.ts"
import type { Readable, ResourceRecord } from "../../data/resources/resource.ts"
import { ApiError, invalidParameters } from "../http/api-error.ts"
import { codeLarge } from "../http/content-coding.ts"
import { offsetOf, type PageMeta, pageMeta, pageOf } from "../http/page.ts"
import type { ReleaseResolver, ResolvedList } from "./at-release.ts"
import type { CachedResponses } from "./cached-responses.ts"
import { pageContent, picked, recordContent, wholeContent } from "./content.ts"
import type { DataRequest, Requester } from "./data-request.ts"
import { type ExportOptions, exportResponse } from "./export-response.ts"
import type { ListPlan, ParameterValues, Plan, RecordPlan } from "./plan.ts"
import {
  type CacheStatus,
  cacheStatus,
  matchesTag,
  notModified,
  type ResponseContent,
  represent,
  type Validators,
  validatorsOf,
  versionOf,
} from "./represent.ts"

export interface RespondOptions extends ExportOptions {
  resolver: ReleaseResolver
  reader: Reader
  /** New sources come last, so that pages of different states do not overlap. */
  readSources: ReadSources
  formerNames: ReadFormerNames
  cachedResponses: CachedResponses
  /** The service's public address, which links carry; empty for relative links. */
  baseUrl: string
}

export interface RecordsPage {
  records: readonly ResourceRecord[]
  meta: PageMeta
}

export interface ListPage extends RecordsPage {
  release: Release
}

export interface RecordAt {
  record: ResourceRecord
  release: Release
}

/** How one kind of response is read. */
interface Reading {
  /** Identifies the releases that it compares with; empty for most. */
  compared?: string
  /** Returns a function that writes the content, or the response itself where that is a stream. */
  read: (validators: Validators) => Promise<(() => ResponseContent) | Response>
}

export type Responses = ReturnType<typeof createResponses>

/** Its functions throw ApiError INVALID_PARAMETER and NOT_FOUND, Unavailable and ReleaseUnavailable. */
export function createResponses(options: RespondOptions) {
  const { resolver, reader, readSources, formerNames, cachedResponses, baseUrl } = options
  const { atRelease, listAt } = resolver

  const resolveAt = async (plan: ListPlan, { release, account }: ReadOptions) => ({
    plan,
    release,
    list: await listAt(plan, release, account),
  })

  async function respondWith(
    dataRequest: DataRequest,
    plan: Plan,
    shown: Release | SourceStates,
    open: () => Reading | Promise<Reading>,
  ): Promise<Response> {
    const { key, cacheable, cacheBuster } = plan
    const cacheKey = `${versionOf(shown)} ${plan.cacheKey}`
    const cached = cacheable ? cachedResponses.get(cacheKey) : undefined
    const represented = async (content: ResponseContent, status: CacheStatus) => {
      await codeLarge(content.body, dataRequest.request.headers.get("accept-encoding"))
      return represent(dataRequest, content, status, cacheBuster)
    }
    if (cached) return represented(cached, cacheStatus.hit)
    const status = cacheable ? cacheStatus.miss : cacheStatus.bypass
    const { compared = "", read } = await open()
    const validators = validatorsOf(shown, key + compared)
    if (matchesTag(dataRequest.request, validators))
      return notModified(dataRequest, validators, status)
    const content = await read(validators)
    if (content instanceof Response) return content
    const shared = cacheable ? cachedResponses.share(cacheKey, content) : content()
    return represented(shared, status)
  }

  const recordReading = (plan: RecordPlan, release: Release, account: AccountId): Reading => ({
    read: async (validators) => {
      const { record } = await readRecord(plan, release, account)
      return () => recordContent(plan, validators, record)
    },
  })

  const sourcesReading = (plan: ListPlan, { records }: SourceStates): Reading => ({
    read: (validators) => contentOfAll(plan, validators, records),
  })

  async function listReading(
    dataRequest: DataRequest,
    plan: ListPlan,
    release: Release,
  ): Promise<Reading> {
    const { account } = dataRequest
    const resolved = await resolveAt(plan, { release, account })
    const { identity } = resolved.list
    const compared = identity === plan.identity ? "" : ` ${identity}`
    return {
      compared,
      read: async (validators) => {
        if (plan.facet !== undefined) {
          return contentOfAll(plan, validators, await readFacet(resolved, plan.facet, account))
        }
        if (plan.all) return exportResponse(options, dataRequest, resolved, validators)
        const page = await readPage(resolved, account)
        return () => pageContent(plan, validators, page, baseUrl)
      },
    }
  }

  /** The content of a page, or of all of them, from all records of a short list. */
  async function contentOfAll(
    plan: ListPlan,
    validators: Validators,
    records: Pick<RecordsPage["records"], "length" | "slice">,
  ) {
    if (!plan.all) {
      return () => pageContent(plan, validators, pageOf(records, plan.page, plan.per_page), baseUrl)
    }
    const content = await wholeContent(plan, validators, records.slice())
    return () => content
  }

  async function readRecord(
    plan: RecordPlan,
    release: Release,
    account: AccountId,
  ): Promise<RecordAt> {
    const found = await reader.find(plan.shown, plan.recordKey, { release, account })
    if (!found) throw new ApiError("NOT_FOUND")
    const [record = found] = picked(plan, [found])
    return { record, release }
  }

  async function readFacet({ list, release }: ResolvedList, facet: string, account: AccountId) {
    const counts = await reader.facet(list, facet, { release, account })
    if (counts) return counts
    const message = "Has too many values in this list to count them: add a filter"
    throw invalidParameters([{ parameter: facet, message }])
  }

  async function readPage(resolved: ResolvedList, account: AccountId): Promise<ListPage> {
    const { plan, list, release } = resolved
    const { page, per_page, facet } = plan
    if (facet !== undefined) {
      return { ...pageOf(await readFacet(resolved, facet, account), page, per_page), release }
    }
    const bounds = { offset: offsetOf(page, per_page), limit: per_page }
    const found = await reader.page(list, bounds, { release, account })
    if (!found) throw new ApiError("NOT_FOUND")
    const { length } = found.records
    if (length < Math.min(per_page, found.total - bounds.offset)) {
      const message = `The shapes of this page take more than 8 MB: use per_page=${length}, or all=true with another format than json`
      throw invalidParameters([{ parameter: "per_page", message }])
    }
    const records = picked(plan, found.records)
    return { records, meta: pageMeta(found.total, page, per_page), release }
  }

  /** Reads a page at a release, whatever the release of the plan. It pins none. */
  const pageAt = async (plan: ListPlan, options: ReadOptions): Promise<ListPage> =>
    readPage(await resolveAt(plan, options), options.account)

  return {
    respond: async (dataRequest: DataRequest, plan: Plan): Promise<Response> => {
      if (plan.kind === "list" && plan.endpoint.ofNoRelease) {
        const state = await readSources(dataRequest.account)
        return respondWith(dataRequest, plan, state, () => sourcesReading(plan, state))
      }
      return atRelease(plan, dataRequest, (release) =>
        respondWith(dataRequest, plan, release, () =>
          plan.kind === "record"
            ? recordReading(plan, release, dataRequest.account)
            : listReading(dataRequest, plan, release),
        ),
      )
    },

    /** Reads a page for the explorer and the tools of assistants. */
    page: (requester: Requester, plan: ListPlan): Promise<ListPage> =>
      atRelease(plan, requester, (release) =>
        pageAt(plan, { release, account: requester.account }),
      ),

    pageAt,

    /**
     * Reads the records of a list that were added or changed after a point, and those that have left the list
     * since, at one release.
     * @param planWith plans the list with one further parameter, or without
     * @param since a valid point in time, by default the previous release
     */
    changes: async (
      requester: Requester,
      planWith: (compared: ParameterValues) => ListPlan,
      since?: string,
    ) => {
      const { account } = requester
      const plan = planWith(since === undefined ? {} : { updated_since: since })
      const release = await atRelease(plan, requester, async (shown) => shown)
      const point = since ?? String(Math.max(0, release.id - 1))
      const pageWith = (compared: ParameterValues) =>
        pageAt(planWith(compared), { release, account })
      const [from, changed, removed] = await Promise.all([
        resolver.releaseAt("updated_since", point, account),
        pageWith({ updated_since: point }),
        pageWith({ removed_since: point }),
      ])
      return { release, from, changed, removed }
    },

    /** Reads the versions of records at a release; null for a record that it does not have. */
    versionsAt: (resource: Readable, keys: readonly string[], options: ReadOptions) =>
      Promise.all(keys.map((key) => reader.find(resource, key, options))),

    /** Finds companies by former names; `formerly` has the name as a remark. */
    companiesFormerly: async (term: string, options: ReadOptions) => {
      const names = await formerNames(term, options.account)
      const found = await Promise.all(
        names.map(async ({ asx_code, formerly }): Promise<ResourceRecord[]> => {
          const record = await reader.find(companies, asx_code, options)
          return record ? [{ ...record, formerly }] : []
        }),
      )
      return found.flat()
    },

    /** Counts the values of a filter in a list; null for too many. */
    facetAt: async (plan: ListPlan, filter: string, options: FacetOptions) =>
      (await reader.facet((await resolveAt(plan, options)).list, filter, options))?.slice() ?? null,

    /** Reads the first records of a list, without its total. */
    firstAt: async (plan: ListPlan, most: number, options: ReadOptions) =>
      reader.first((await resolveAt(plan, options)).list, most, options),

    /** Counts the records of a list; null if its parent does not exist. */
    totalAt: async (plan: ListPlan, options: ReadOptions) =>
      reader.total((await resolveAt(plan, options)).list, options),

    /** Reads a record for them. */
    record: (requester: Requester, plan: RecordPlan): Promise<RecordAt> =>
      atRelease(plan, requester, (release) => readRecord(plan, release, requester.account)),
  }
}
