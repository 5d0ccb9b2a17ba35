/**
 * What a page of the explorer reads. It asks the API's own code, as a request of the person's account:
 * with the same checks of parameters, caches, page sequences and errors.
 */
import type { SignedIn } from "../../access/sessions.ts"
import type { Asked } from "../../answers/asked.ts"
import type { ListPage, Lists } from "../../answers/list-answer.ts"
import type { ListPlan, PlanOf } from "../../answers/list-plan.ts"
import type { RecordAt, Records } from "../../answers/record-answer.ts"
import { noAnswerWithin, Unavailable } from "../../db/pool/unavailable.ts"
import type { Group } from "../../db/reader/breakdown.ts"
import type { CachedReleases } from "../../db/reader/newest-release.ts"
import type { Reader } from "../../db/reader/reader.ts"
import { type Release, ReleaseUnavailable } from "../../db/reader/releases.ts"
import { settleWithin } from "../../text/settle-within.ts"
import {
  apiPathOf,
  countedFields,
  type ListAddress,
  type ListView,
  wholeList,
} from "./lists/list-view.ts"

export interface VisitOptions {
  lists: Lists
  records: Records
  planOf: PlanOf
  reader: Pick<Reader, "breakdown">
  releases: Pick<CachedReleases, "current">
}

/** Who asks, and with which request. */
export interface Visitor extends Pick<Asked, "request" | "requestId" | "disableIdleTimeout"> {
  person: Pick<SignedIn, "accountId" | "sessionId">
  /** Of the page, as it was sent. */
  query: string
  /** The service's address as this client reaches it. */
  publicUrl: string
}

export interface ShownPage extends ListPage {
  plan: ListPlan
}

/** Of each combination of the counted fields of a view; null where it is not available. */
export type Groups = readonly Group[] | null

/**
 * One request for a page. A `key` is that of the record in the path of a list or of a record; empty where
 * there is none. The methods throw ApiError, Unavailable or ReleaseUnavailable.
 */
export interface Visit extends Pick<Visitor, "query" | "publicUrl"> {
  page(list: ListAddress, key: string, query: string): Promise<ShownPage>
  record(view: ListView, key: string, query: string): Promise<RecordAt>
  /** Every record of a list as a response in CSV, whose query asks for that. */
  export(list: ListAddress, key: string, query: string): Promise<Response>
  /** Of the list of a page; without a plan, of the list without filters; without a release, at the newest. */
  groups(view: ListView, key: string, of?: Partial<ShownPage>): Promise<Groups>
  newest(): Promise<Release>
}

export function createVisits(options: VisitOptions): (visitor: Visitor) => Visit {
  const { lists, records, planOf, reader, releases } = options
  return ({ person, query, publicUrl, ...visitor }) => {
    const account = person.accountId
    const asker = { account, sequenceOwner: `session ${person.sessionId}` }
    const targetOf = (list: ListAddress, key: string, query: string) =>
      ({ path: apiPathOf(list, key), query, format: "json" }) as const
    const newest = () => releases.current(account)
    return {
      query,
      publicUrl,
      page: async (list, key, query) => {
        const plan = planOf(list.endpoint, targetOf(list, key, query), key)
        return { ...(await lists.read(asker, plan)), plan }
      },
      record: (view, key, query) => records.read(account, view.endpoint.resource, key, query),
      export: async (list, key, query) => {
        const target = targetOf(list, key, query)
        const asked = { ...visitor, ...asker, target, headers: {} }
        return lists.answer(asked, planOf(list.endpoint, target, key))
      },
      groups: (view, key, { plan, release } = {}) =>
        inTime(async () => {
          const fields = countedFields(view)
          if (fields.length === 0) return []
          const list = plan?.list ?? wholeList(view, key)
          return reader.breakdown(list, fields, { release: release ?? (await newest()), account })
        }),
      newest,
    }
  }
}

/** Ample for what is cached or scanned soon. A scan that takes longer is cached for the next page. */
const waitMs = 1_000

/** Null where they are not available in time: the page is shown without them. */
export async function inTime(read: () => Promise<Groups>, limitMs = waitMs): Promise<Groups> {
  try {
    return await settleWithin(limitMs, read(), noAnswerWithin)
  } catch (error) {
    if (error instanceof Unavailable || error instanceof ReleaseUnavailable) return null
    throw error
  }
}
