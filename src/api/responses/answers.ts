/**
 * The one way from a question to its answer: find the release, return the cached response or 304, read, write the
 * content. Every answer is a function of (question, release); that about sources, of their present state.
 */
import type { FacetOptions } from "../../data/reader/facets.ts"
import type { ReadFormerNames } from "../../data/reader/former-names.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import type { Release } from "../../data/reader/releases.ts"
import type { ReadSources, SourceStates } from "../../data/reader/sources.ts"
import { companies } from "../../data/resources/companies.ts"
import type { Readable, ResourceRecord } from "../../data/resources/resource.ts"
import { ApiError, invalidParameters } from "../http/api-error.ts"
import { codedBody } from "../http/content-coding.ts"
import { offsetOf, pageMeta, pageOf } from "../http/page.ts"
import type { ParameterValues } from "../http/parameters.ts"
import type { AreaReader } from "./around-tenements.ts"
import type { ReleaseResolver } from "./at-release.ts"
import type { CachedResponses } from "./cached-responses.ts"
import type { DataRequest, Requester } from "./data-request.ts"
import { type ExportOptions, exportResponse } from "./export-response.ts"
import { createLargeBodies } from "./large-bodies.ts"
import type { ListQuestion, Question, RecordQuestion } from "./question.ts"
import {
  type CacheStatus,
  cacheStatus,
  contentOf,
  matchesTag,
  notModified,
  type ResponseContent,
  represent,
  type Validators,
  validatorsOf,
  versionOf,
} from "./represent.ts"
import { pageContent, picked, type RecordsPage, recordText, wholeContent } from "./writers.ts"

export interface AnswerOptions extends ExportOptions {
  resolver: ReleaseResolver
  reader: AreaReader
  /** New sources come last, so that pages of different states do not overlap. */
  readSources: ReadSources
  formerNames: ReadFormerNames
  cachedResponses: CachedResponses
  /** The service's public address, which links carry; empty for relative links. */
  baseUrl: string
}

export interface ListPage extends RecordsPage {
  release: Release
}

export interface RecordAt {
  record: ResourceRecord
  release: Release
}

/** All rows of a short list. */
type Rows = Pick<readonly ResourceRecord[], "length" | "slice">

/** Makes the content, or the response itself where that is a stream. */
type Written = (() => ResponseContent) | Response

export type Answers = ReturnType<typeof createAnswers>

/** Its functions throw ApiError INVALID_PARAMETER and NOT_FOUND, Unavailable and ReleaseUnavailable. */
export function createAnswers(options: AnswerOptions) {
  const { resolver, reader, readSources, formerNames, cachedResponses, baseUrl } = options
  const { atRelease, comparedAt } = resolver
  const inPartsIfLarge = createLargeBodies()

  /** @param since the release that the response compares with */
  async function respondWith(
    dataRequest: DataRequest,
    question: Question,
    shown: Release | SourceStates,
    since: number | undefined,
    write: (validators: Validators) => Promise<Written>,
  ): Promise<Response> {
    const { id, isCacheable, cacheBuster } = question
    const cacheKey = `${versionOf(shown)} ${question.cacheKey}`
    const cached = isCacheable ? cachedResponses.get(cacheKey) : undefined
    const represented = async (content: ResponseContent, status: CacheStatus) =>
      represent(dataRequest, await inPartsIfLarge(dataRequest, content), status, cacheBuster)
    if (cached) return represented(cached, cacheStatus.hit)
    const status = isCacheable ? cacheStatus.miss : cacheStatus.bypass
    const validators = validatorsOf(shown, since === undefined ? id : `${id} ${since}`)
    if (matchesTag(dataRequest.request, validators)) {
      return notModified(dataRequest, validators, status)
    }
    const written = await write(validators)
    if (written instanceof Response) return written
    const content = isCacheable ? cachedResponses.share(cacheKey, written) : written()
    return represented(content, status)
  }

  async function write(
    dataRequest: DataRequest,
    question: Question,
    validators: Validators,
    read: ReadOptions,
  ): Promise<Written> {
    if (question.kind === "record") {
      const { record } = await readRecord(question, read)
      const { format } = question
      return () => contentOf(validators, format, {}, codedBody(recordText(question, record)))
    }
    if (question.kind === "counts") {
      return writeRows(question, validators, await readCounts(question, read))
    }
    if (question.range === "whole") {
      return exportResponse(options, dataRequest, question, read, validators)
    }
    const page = await readPage(question, read)
    return () => pageContent(question, validators, page, baseUrl)
  }

  /** A page, or all, of a short list. */
  async function writeRows(question: ListQuestion, validators: Validators, rows: Rows) {
    if (question.range === "whole") {
      const content = await wholeContent(question, validators, rows.slice())
      return () => content
    }
    const { page, perPage } = question.range
    return () => pageContent(question, validators, pageOf(rows, page, perPage), baseUrl)
  }

  async function readRecord(question: RecordQuestion, read: ReadOptions): Promise<RecordAt> {
    const { resource, fieldSet, key } = question
    const found = await reader.find(resource, fieldSet, key, read)
    if (!found) throw new ApiError("NOT_FOUND")
    const [record = found] = picked(question, [found])
    return { record, release: read.release }
  }

  async function readCounts({ list, counted }: ListQuestion, read: ReadOptions): Promise<Rows> {
    const counts = await reader.facet(list, counted, read)
    if (counts) return counts
    const message = "Has too many values in this list to count them: add a filter"
    throw invalidParameters([{ parameter: counted, message }])
  }

  async function readPage(question: ListQuestion, read: ReadOptions): Promise<ListPage> {
    const { kind, list, range, release } = { ...question, ...read }
    if (range === "whole") throw new Error(`${question.path} is asked for whole`)
    const { page, perPage } = range
    if (kind === "counts") {
      return { ...pageOf(await readCounts(question, read), page, perPage), release }
    }
    const offset = offsetOf(page, perPage)
    const found = await reader.page(list, { offset, limit: perPage }, read)
    if (!found) throw new ApiError("NOT_FOUND")
    const { length } = found.records
    if (length < Math.min(perPage, found.total - offset)) {
      const message = `The shapes of this page take more than 8 MB: use per_page=${length}, or all=true with another format than json`
      throw invalidParameters([{ parameter: "per_page", message }])
    }
    const records = picked(question, found.records)
    return { records, meta: pageMeta(found.total, page, perPage), release }
  }

  const pageAt = async (question: ListQuestion, read: ReadOptions): Promise<ListPage> =>
    readPage(question, await comparedAt(question, read))

  return {
    respond: async (dataRequest: DataRequest, question: Question): Promise<Response> => {
      const { account } = dataRequest
      if (question.kind !== "record" && question.endpoint.ofNoRelease) {
        const state = await readSources(account)
        return respondWith(dataRequest, question, state, undefined, (validators) =>
          writeRows(question, validators, state.records),
        )
      }
      const respondAt = (read: ReadOptions) =>
        respondWith(dataRequest, question, read.release, read.since, (validators) =>
          write(dataRequest, question, validators, read),
        )
      return atRelease(question, dataRequest, (release) =>
        question.isCacheable
          ? respondAt({ release, account })
          : comparedAt(question, { release, account }).then(respondAt),
      )
    },

    /**
     * Reads a page for the explorer and the tools of assistants.
     * @param at the release to read, in place of that of the question; such a page pins none
     */
    page: (requester: Requester, question: ListQuestion, at?: Release): Promise<ListPage> => {
      const { account } = requester
      return at
        ? pageAt(question, { release: at, account })
        : atRelease(question, requester, (release) => pageAt(question, { release, account }))
    },

    /**
     * Reads the records of a list that were added or changed after a point, and those that have left the list
     * since, at one release.
     * @param askWith asks for the list with one further parameter, or without
     * @param since a valid point in time, by default the previous release
     */
    changes: async (
      requester: Requester,
      askWith: (compared: ParameterValues) => ListQuestion,
      since?: string,
    ) => {
      const { account } = requester
      const question = askWith(since === undefined ? {} : { updated_since: since })
      const release = await atRelease(question, requester, async (shown) => shown)
      const point = since ?? String(Math.max(0, release.id - 1))
      const pageWith = (compared: ParameterValues) =>
        pageAt(askWith(compared), { release, account })
      // First, so that an error names the parameter that the client sent.
      const from = await resolver.releaseAt("since", point, account, release)
      const [changed, removed] = await Promise.all([
        pageWith({ updated_since: point }),
        pageWith({ removed_since: point }),
      ])
      return { release, from, changed, removed }
    },

    /** Reads the versions of records at a release, with all fields; null for a record that it does not have. */
    versionsAt: (resource: Readable, keys: readonly string[], read: ReadOptions) =>
      Promise.all(keys.map((key) => reader.find(resource, "all", key, read))),

    /** Finds companies by former names; `formerly` has the name as a remark. */
    companiesFormerly: async (term: string, read: ReadOptions) => {
      const names = await formerNames(term, read.account)
      const found = names.map(async ({ asx_code, formerly }) => {
        const record = await reader.find(companies, "usual", asx_code, read)
        return record && { ...record, formerly }
      })
      return (await Promise.all(found)).filter((record) => record !== null)
    },

    /** Counts the values of a filter in a list; null for too many. */
    facetAt: async (question: ListQuestion, filter: string, read: FacetOptions) => {
      const counts = await reader.facet(question.list, filter, await comparedAt(question, read))
      return counts?.slice() ?? null
    },

    /** Reads the area around a tenement in which a list is; null for another list. */
    areaAround: ({ list }: ListQuestion, read: ReadOptions) => reader.areaAround(list, read),

    /** Reads the first records of a list, without its total. */
    first: reader.first,

    /** Counts the records of a list; 0 if its parent does not exist. */
    totalAt: async (question: ListQuestion, read: ReadOptions) =>
      (await reader.total(question.list, await comparedAt(question, read))) ?? 0,

    /** Reads a record for them. */
    record: (requester: Requester, question: RecordQuestion): Promise<RecordAt> =>
      atRelease(question, requester, (release) =>
        readRecord(question, { release, account: requester.account }),
      ),
  }
}
