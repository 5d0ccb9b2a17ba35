/** Reads the data for one call of a tool, as the endpoints of the API do. */
import type { LinkReader } from "../../data/reader/links.ts"
import type { Release, Releases } from "../../data/reader/releases.ts"
import type { ReadSources } from "../../data/reader/sources.ts"
import { asxCodeFromText } from "../../data/resources/values.ts"
import { invalidParameters } from "../http/api-error.ts"
import type { ParameterValues } from "../http/parameters.ts"
import { encodeQuery, type Pair } from "../http/query-string.ts"
import type { ListPage } from "../responses/answers.ts"
import { dayOfData } from "../responses/at-release.ts"
import type { Requester } from "../responses/data-request.ts"
import { apiPath, type ListEndpoint } from "../responses/endpoint.ts"
import { nearestNumbers, probableSubsidiariesWords } from "../responses/notes.ts"
import { askList, askRecord, type ListQuestion } from "../responses/question.ts"
import { company } from "../routes/companies.ts"
import type { DataOptions } from "../routes/data.ts"

export interface ReadingOptions extends Pick<DataOptions, "answers" | "now"> {
  releases: Pick<Releases, "current">
  readSources: ReadSources
  companyLinks: Pick<LinkReader, "suggestedFor">
}

export type ToolReading = ReturnType<typeof createReading>

/** @param publicUrl the address of the service as the client reaches it */
export function createReading(options: ReadingOptions, requester: Requester, publicUrl: string) {
  const { answers, releases, readSources, companyLinks, now } = options
  const { account } = requester

  /** The address of the request that returns the same, whatever is published later. */
  const addressOf = (path: string, query: readonly Pair[], { id }: Release): string => {
    const others = query.filter(([name]) => name !== "as_of")
    return `${publicUrl}${path}?${encodeQuery([...others, ["as_of", String(id)]])}`
  }

  const partOf = (question: ListQuestion, { records, meta, release }: ListPage) => {
    const { total, page, total_pages } = meta
    const request = addressOf(question.path, question.canonical, release)
    return { request, total, page, total_pages, records }
  }

  /** @throws ApiError INVALID_PARAMETER for a code that no company has: the list is empty for another reason */
  const expectCompany = async ({ company: written }: ParameterValues, release: Release) => {
    if (written === undefined) return
    const code = asxCodeFromText(String(written))
    const [record] = await answers.versionsAt(company.resource, [code], { release, account })
    const message = `No company has the code ${code}; find_companies finds codes`
    if (!record) throw invalidParameters([{ parameter: "company", message }])
  }

  return {
    dayOf: ({ as_of }: ParameterValues, release: Release) => dayOfData(as_of, release, now()),

    /** A page of a list at the given release or, without one, that of `as_of`, of its page sequence, or the newest. */
    list: async (
      endpoint: ListEndpoint,
      values: ParameterValues,
      { release: at, key = "" }: { release?: Release; key?: string } = {},
    ) => {
      const question = askList(endpoint, values, key)
      const found = await answers.page(requester, question, at)
      if (found.meta.total === 0) await expectCompany(values, found.release)
      return { release: found.release, part: partOf(question, found) }
    },

    /** The records added to a list or changed after `since`, and those removed since; see `changes` of the answers. */
    changes: async (endpoint: ListEndpoint, { since, ...values }: ParameterValues) => {
      const askWith = (compared: ParameterValues) => askList(endpoint, { ...values, ...compared })
      const written = since === undefined ? undefined : String(since)
      // Its release moves no pin of a search's own pages.
      const sequenceOwner = `changes of ${requester.sequenceOwner}`
      const found = await answers.changes({ account, sequenceOwner }, askWith, written)
      const { release, changed, removed } = found
      if (changed.meta.total + removed.meta.total === 0) await expectCompany(values, release)
      const point = String(found.from.id)
      return {
        ...found,
        changed: partOf(askWith({ updated_since: point }), changed),
        removed: partOf(askWith({ removed_since: point }), removed),
      }
    },

    companiesFormerly: (term: string, release: Release) =>
      answers.companiesFormerly(term, { release, account }),

    /** Words on the tenements with the nearest numbers, for a number that none has at the release. */
    nearestNumbers: async ({ search, state }: ParameterValues, release: Release) => {
      const nearest = await nearestNumbers(String(search), state, (list) =>
        answers.first(list, 3, { release, account }),
      )
      const named = nearest.map(({ tenement_id, state }) => `${tenement_id} (${state})`)
      return named.length === 0 ? [] : [`The nearest numbers of its type: ${named.join(", ")}.`]
    },

    /** @param point with `as_of`, or without */
    company: async (code: string, point: ParameterValues) => {
      const question = askRecord(company, point, code)
      const { record, release } = await answers.record(requester, question)
      const path = apiPath(company, String(record.asx_code))
      return { record, release, request: addressOf(path, [], release) }
    },

    /** Words on the probable subsidiaries of a company; none at an earlier release, or if they add nothing. */
    probableSubsidiaries: async (written: string, { as_of }: ParameterValues) => {
      if (as_of !== undefined) return []
      const code = asxCodeFromText(written)
      const words = probableSubsidiariesWords(code, await companyLinks.suggestedFor(code, account))
      return words === null ? [] : [words]
    },

    /** All sources, and the newest release. */
    sources: async () => {
      const [{ records }, release] = await Promise.all([
        readSources(account),
        releases.current(account),
      ])
      return { records, release, request: `${publicUrl}/api/v1/sources` }
    },
  }
}
