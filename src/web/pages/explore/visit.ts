/**
 * Reads data for a page of the explorer through the API's own code, as a request of the person's account:
 * with the same questions, caches, page sequences and errors.
 */

import type { SignedIn } from "../../../accounts/access/sessions.ts"
import type { ParameterValues } from "../../../api/http/parameters.ts"
import type { Answers, ListPage } from "../../../api/responses/answers.ts"
import { dayOfData } from "../../../api/responses/at-release.ts"
import type { DataRequest } from "../../../api/responses/data-request.ts"
import { leftOutRecords, nearestNumbers } from "../../../api/responses/notes.ts"
import { askList, askRecord, type ListQuestion } from "../../../api/responses/question.ts"
import { releaseList } from "../../../api/routes/releases.ts"
import type { ReadMissing } from "../../../data/db/missing-records.ts"
import { noResponseWithin, Unavailable } from "../../../data/db/pool/unavailable.ts"
import type { LinkReader } from "../../../data/reader/links.ts"
import type { CachedReleases } from "../../../data/reader/newest-release.ts"
import type { ValueCount } from "../../../data/reader/reads.ts"
import { type Release, ReleaseUnavailable } from "../../../data/reader/releases.ts"
import { isScanned } from "../../../data/reader/statements.ts"
import { normaliseName } from "../../../data/resources/company-name.ts"
import { withKeys } from "../../../data/resources/conditions.ts"
import { namesInSet, type ResourceRecord } from "../../../data/resources/resource.ts"
import { arrayLiteral } from "../../../system/text/array-literal.ts"
import { settleWithin } from "../../../system/text/settle-within.ts"
import { sydney } from "../../../system/text/time.ts"
import {
  countedOf,
  type ListAddress,
  type ListOfRecords,
  type ListView,
} from "./lists/list-view.ts"

export interface VisitOptions {
  answers: Answers
  releases: Pick<CachedReleases, "current">
  companyLinks: LinkReader
  readMissing: ReadMissing
  now: () => Date
}

export interface Visitor
  extends Pick<DataRequest, "request" | "requestId" | "isCallerValid" | "liftIdleTimeout"> {
  person: Pick<SignedIn, "accountId" | "sessionId">
  /** The query of the page, as it was sent. */
  query: string
  /** The service's URL as this client reaches it. */
  publicUrl: string
}

export interface ShownPage extends ListPage {
  question: ListQuestion
}

/** The values of a filter; null if they are unavailable. */
export type Values = readonly ValueCount[] | null

/** The values of each counted filter of a view, by its name. */
export type Facets = Readonly<Record<string, Values>>

/**
 * Reads for one request for a page. A `key` is that of the record in the path of a list or of a record; empty
 * without one. `values` are valid parameters of the API. The methods throw ApiError, Unavailable or ReleaseUnavailable.
 */
export type Visit = ReturnType<ReturnType<typeof createVisits>>

export function createVisits(options: VisitOptions) {
  const { answers, releases, companyLinks, readMissing, now } = options
  return ({ person, query, publicUrl, ...visitor }: Visitor) => {
    const account = person.accountId
    const requester = { account, sequenceOwner: `session ${person.sessionId}` }
    const asking = (list: ListAddress, key: string, values: ParameterValues) =>
      askList(list.endpoint, inSydney(list, values), list.key ?? key)
    /** With all fields, since cells need more than the list shows. Links keep the chosen ones. */
    const askingAll = (list: ListAddress, key: string, values: ParameterValues) => {
      const sent = inSydney(list, values)
      const further = values.updated_since === undefined ? [] : ["changed"]
      const fields = [...fieldsRead(list), ...further]
      return askList(list.endpoint, { ...sent, fields }, list.key ?? key, { sent })
    }
    const newest = () => releases.current(account)
    return {
      query,
      publicUrl,
      newest,
      dayOf: (asOf: string | undefined, release: Release) => dayOfData(asOf, release, now()),
      companiesFormerly: async (term: string) =>
        answers.companiesFormerly(term, { release: await newest(), account }),
      suggestedHolders: (code: string) => companyLinks.suggestedFor(code, account),
      holderCompanies: (holderKey: string) => companyLinks.ofHolder(holderKey, account),
      /** The records of holders with the companies that their names mean now. */
      withCompanies: async (holders: readonly ResourceRecord[]) => {
        const keyOf = ({ value }: ResourceRecord) => normaliseName(String(value))
        const keys = arrayLiteral(holders.map(keyOf))
        const found = await companyLinks.codesOfHolders(keys, account)
        const codes = new Map(found.map((each) => [each.key, each.codes]))
        return holders.map((each) => ({ ...each, asx_codes: codes.get(keyOf(each)) ?? [] }))
      },
      tenementLinks: (id: string) => companyLinks.ofTenement(id, account),
      page: async (list: ListAddress, key: string, values: ParameterValues): Promise<ShownPage> => {
        const found = await answers.page(requester, askingAll(list, key, values))
        return { ...found, question: asking(list, key, values) }
      },
      /** The area around a tenement in which the list is, as PostgreSQL takes it; null for another list. */
      areaAround: ({ question, release }: ShownPage) =>
        answers.areaAround(question, { release, account }),
      /** The tenements of a list, or of its holders, that its filters exclude; see `leftOutRecords` of the notes. */
      leftOut: (list: ListAddress, key: string, values: ParameterValues, release: Release) =>
        leftOutRecords(values, (others) =>
          answers.totalAt(asking(list, key, others), { release, account }),
        ),
      /** The first records of a list at the newest release; none if finding them takes a scan. */
      first: async (list: ListAddress, values: ParameterValues, most: number) => {
        const question = asking(list, "", values)
        if (isScanned(question.list)) return []
        return answers.first(question.list, most, { release: await newest(), account })
      },
      /** The tenements with the nearest numbers; see `nearestNumbers` of the notes. */
      nearestNumbers: async (written: string, state: string | undefined) => {
        const options = { release: await newest(), account }
        return nearestNumbers(written, state, (list) => answers.first(list, 3, options))
      },
      /**
       * The holders of the tenements of which one has the term in its name, the most frequent first; for a
       * frequent term, those of some tenements.
       */
      holdersWith: async (list: ListAddress, term: string) => {
        const question = asking(list, "", { holder: term })
        if (isScanned(question.list)) return []
        const options = { release: await newest(), account, isSampled: true }
        return (await answers.facetAt(question, "held_by", options)) ?? []
      },
      record: (view: ListOfRecords, key: string, asOf?: string, fields = fieldsRead(view)) => {
        const values = { as_of: asOf, fields }
        return answers.record(requester, askRecord(view.record.endpoint, values, key))
      },
      /** The releases until a point in time, newest first. */
      releases: (asOf: string | undefined) =>
        answers.page(requester, askList(releaseList, { per_page: 100, as_of: asOf })),
      /**
       * The changes of a list, with all fields; see `changes` of the answers.
       * @param kinds those that records changed in; undefined for all
       */
      changes: (list: ListAddress, values: ParameterValues, since: string, kinds?: string[]) =>
        answers.changes(
          // Its release moves no pin of the list's own pages.
          { account, sequenceOwner: `changes in session ${person.sessionId}` },
          (compared) => {
            const changed = compared.updated_since === undefined ? undefined : kinds
            return askingAll(list, "", { ...values, ...compared, changed })
          },
          since,
        ),
      /** How many records were added, by `added`, and how many changed, by the name of each field. */
      countedChanges: async (list: ListAddress, values: ParameterValues, release: Release) => {
        const question = asking(list, "", { ...values, fields: ["changed"] })
        const counts = await answers.facetAt(question, "changed", { release, account })
        return new Map(counts?.map(({ value, count }) => [value, count]))
      },
      /** Since when the last files of its source lack a record. */
      missingSince: async ({ endpoint: { resource } }: ListAddress, key: string) =>
        (await readMissing(resource.name, account, key)).get(key),
      /** The records of a list that the last files of their source lack, at the newest release; null without any. */
      missing: async (list: ListAddress, values: ParameterValues) => {
        const since = await readMissing(list.endpoint.resource.name, account)
        if (since.size === 0) return null
        const { endpoint } = list
        const filters = [...endpoint.filters, "keys"]
        const ofKeys = { ...endpoint, resource: withKeys(endpoint.resource), filters }
        const keys = [...since.keys()].join(" ")
        const question = askingAll({ ...list, endpoint: ofKeys }, "", { ...values, keys })
        return { ...(await answers.page(requester, question, await newest())), since }
      },
      total: (list: ListAddress, values: ParameterValues, release: Release) =>
        answers.totalAt(asking(list, "", values), { release, account }),
      versions: ({ endpoint }: ListAddress, keys: readonly string[], release: Release) =>
        answers.versionsAt(endpoint.resource, keys, { release, account }),
      /** Every record of a list as a response in CSV. */
      export: (list: ListAddress, key: string, values: ParameterValues) => {
        const request = { ...visitor, ...requester, headers: {} }
        return answers.respond(request, asking(list, key, values))
      },
      /** The values of each filter among the records that match the other filters. */
      facets: async (view: ListView, key: string, values: ParameterValues, release: Release) => {
        const facets = countedOf(view).map(async ({ name }) => {
          const { [name]: _, ...others } = values
          const question = asking(view, key, others)
          const read = () => answers.facetAt(question, name, { release, account })
          return [name, await inTime(read)] as const
        })
        return Object.fromEntries(await Promise.all(facets))
      },
    }
  }
}

/** The days of announcements are those of the exchange, unless a download names another zone. */
const inSydney = ({ endpoint }: ListAddress, values: ParameterValues): ParameterValues =>
  "timezone" in endpoint.parameters && (values.from ?? values.to) !== undefined
    ? { timezone: sydney, ...values }
    : values

/** All but the shape. */
const fieldsRead = ({ endpoint: { resource } }: ListAddress): string[] =>
  namesInSet(resource, "all").filter((name) => name !== "geometry")

/** Enough for cached values and short scans. A longer scan is cached for the next page. */
const waitMs = 1_000

/** Null if they are not available in time: the page omits them. */
export async function inTime(read: () => Promise<Values>, limitMs = waitMs): Promise<Values> {
  try {
    return await settleWithin(limitMs, read(), noResponseWithin)
  } catch (error) {
    if (error instanceof Unavailable || error instanceof ReleaseUnavailable) return null
    throw error
  }
}
