/**
 * Reads data for a page of the explorer through the API's own code, as a request of the person's account:
 * with the same checks of parameters, caches, page sequences and errors.
 */
import type { SignedIn } from "../../access/sessions.ts"
import type { Asked } from "../../answers/asked.ts"
import { dayOfData } from "../../answers/at-release.ts"
import type { ListAnswers, ListPage } from "../../answers/list-answer.ts"
import type { ListPlan, PlanOf } from "../../answers/list-plan.ts"
import type { RecordAnswers } from "../../answers/record-answer.ts"
import { undatedRecords } from "../../answers/undated.ts"
import { noAnswerWithin, Unavailable } from "../../db/pool/unavailable.ts"
import type { ValueCount } from "../../db/reader/facets.ts"
import type { CachedReleases } from "../../db/reader/newest-release.ts"
import { type Release, ReleaseUnavailable } from "../../db/reader/releases.ts"
import { isScanned } from "../../db/reader/statements.ts"
import type { ReadSuggestedHolders } from "../../db/reader/suggested-holders.ts"
import { canonicalQuery, encodeQuery, queryText } from "../../http/query-string.ts"
import { complete, type Readable } from "../../resources/resource.ts"
import { settleWithin } from "../../text/settle-within.ts"
import { sentQuery } from "./lists/list-address.ts"
import { apiPathOf, countedOf, type ListAddress, type ListView } from "./lists/list-view.ts"

export interface VisitOptions {
  lists: ListAnswers
  records: RecordAnswers
  planOf: PlanOf
  releases: Pick<CachedReleases, "current">
  suggestedHolders: ReadSuggestedHolders
  now: () => Date
}

/** The person and the request. */
export interface Visitor
  extends Pick<Asked, "request" | "requestId" | "isCallerValid" | "liftIdleTimeout"> {
  person: Pick<SignedIn, "accountId" | "sessionId">
  /** The query of the page, as it was sent. */
  query: string
  /** The service's URL as this client reaches it. */
  publicUrl: string
}

export interface ShownPage extends ListPage {
  plan: ListPlan
}

/** The values of a filter; null if they are unavailable. */
export type Values = readonly ValueCount[] | null

/** The values of each counted filter of a view, by its name. */
export type Facets = Readonly<Record<string, Values>>

/**
 * Reads for one request for a page. A `key` is that of the record in the path of a list or of a record; empty
 * without one. The methods throw ApiError, Unavailable or ReleaseUnavailable.
 */
export type Visit = ReturnType<ReturnType<typeof createVisits>>

export function createVisits(options: VisitOptions) {
  const { lists, records, planOf, releases, suggestedHolders, now } = options
  return ({ person, query, publicUrl, ...visitor }: Visitor) => {
    const account = person.accountId
    const asker = { account, sequenceOwner: `session ${person.sessionId}` }
    const targetOf = (list: ListAddress, key: string, query: string) =>
      ({ path: apiPathOf(list, key), query, accept: null }) as const
    const planned = (list: ListAddress, key: string, query: string) =>
      planOf(list.endpoint, targetOf(list, key, query), key)
    const newest = () => releases.current(account)
    return {
      query,
      publicUrl,
      newest,
      dayOf: (asOf: string | undefined, release: Release) => dayOfData(asOf, release, now()),
      suggestedHolders: (code: string) => suggestedHolders(code, account),
      page: async (list: ListAddress, key: string, query: string): Promise<ShownPage> => {
        const plan = planned(list, key, query)
        const shown = { ...plan.list, resource: resourceOf(list) }
        return { ...(await lists.read(asker, { ...plan, list: shown })), plan }
      },
      /** The records of a list that its filters by day exclude because they lack the day. */
      undated: (list: ListAddress, key: string, query: string, release: Release) =>
        undatedRecords(Object.fromEntries(sentQuery(query)), async (values) => {
          const plan = planned(list, key, queryText(canonicalQuery(values, {})))
          return (await lists.readAt(plan, { release, account })).meta.total
        }),
      /**
       * The first records of a list at the newest release; none if finding them takes a scan.
       * @param most their number, by default that of a page
       */
      first: async (list: ListAddress, query: string, most?: number) => {
        const plan = planned(list, "", query)
        if (isScanned(plan.list)) return []
        return lists.firstAt(plan, most ?? plan.per_page, { release: await newest(), account })
      },
      /**
       * The values of the fields that contain a term, the most frequent first; for a frequent term, those of
       * some records.
       */
      valuesWith: async (list: ListAddress, filter: string, term: string) => {
        const plan = planned(list, "", encodeQuery([[filter, term]]))
        if (isScanned(plan.list)) return []
        const options = { release: await newest(), account, isSampled: true }
        return (await lists.facetAt(plan, filter, options)) ?? []
      },
      record: (view: ListView, key: string, query: string) =>
        records.read(account, resourceOf(view), key, query),
      /** Every record of a list as a response in CSV. */
      export: async (list: ListAddress, key: string, query: string) => {
        const target = targetOf(list, key, query)
        const asked = { ...visitor, ...asker, target, headers: {} }
        return lists.answer(asked, planned(list, key, query))
      },
      /** The values of each filter among the records that match the other filters. */
      facets: async (view: ListView, key: string, query: string, release: Release) => {
        const facets = countedOf(view).map(async ({ name }) => {
          const plan = planned(view, key, queryText(sentQuery(query), [name]))
          const read = () => lists.facetAt(plan, name, { release, account })
          return [name, await inTime(read)] as const
        })
        return Object.fromEntries(await Promise.all(facets))
      },
    }
  }
}

const resourceOf = ({ endpoint: { resource }, isComplete }: ListAddress): Readable =>
  isComplete ? complete(resource) : resource

/** Enough for cached values and short scans. A longer scan is cached for the next page. */
const waitMs = 1_000

/** Null if they are not available in time: the page omits them. */
export async function inTime(read: () => Promise<Values>, limitMs = waitMs): Promise<Values> {
  try {
    return await settleWithin(limitMs, read(), noAnswerWithin)
  } catch (error) {
    if (error instanceof Unavailable || error instanceof ReleaseUnavailable) return null
    throw error
  }
}
