/**
 * What a page of the explorer reads. It asks the API's own code, as a request of the person's account:
 * with the same checks of parameters, caches, page sequences and errors.
 */
import type { SignedIn } from "../../access/sessions.ts"
import type { AnswerOptions } from "../../answers/answer-options.ts"
import type { PlanOf } from "../../answers/cached-plans.ts"
import { createListAnswer } from "../../answers/list-answer.ts"
import { type ListPlan, planList } from "../../answers/list-plan.ts"
import { createRecordAnswer } from "../../answers/record-answer.ts"
import type { RequestContext } from "../../answers/request-context.ts"
import { withoutToken } from "../../db/account-tables.ts"
import type { AccountId } from "../../db/pool/turns.ts"
import { noAnswerWithin, Unavailable } from "../../db/pool/unavailable.ts"
import type { Group } from "../../db/reader/breakdown.ts"
import type { List } from "../../db/reader/list.ts"
import type { CachedReleases } from "../../db/reader/newest-release.ts"
import type { Reader } from "../../db/reader/reader.ts"
import { type Release, type Releases, ReleaseUnavailable } from "../../db/reader/releases.ts"
import type { PageMeta } from "../../http/page.ts"
import type { ResourceRecord } from "../../resources/resource.ts"
import { settleWithin } from "../../text/settle-within.ts"
import {
  apiPathOf,
  countedFields,
  type ListAddress,
  type ListView,
  recordPathOf,
} from "./lists/list-view.ts"

export type VisitOptions = Omit<AnswerOptions, "releases" | "reader"> & {
  releases: CachedReleases
  reader: Reader
  planOf: PlanOf
}

/** Who asks, and with which request. */
export interface Visitor
  extends Pick<RequestContext, "request" | "requestId" | "disableIdleTimeout"> {
  person: Pick<SignedIn, "accountId" | "sessionId">
  /** Of the page, as it was sent. */
  query: string
  /** The service's address as this client reaches it. */
  publicUrl: string
}

/** The release that a response shows. */
export interface ShownRelease {
  id: number
  /** When it was published, as in `Last-Modified`; null before the first release. */
  published: Date | null
}

export interface ShownPage {
  records: readonly ResourceRecord[]
  meta: PageMeta
  release: ShownRelease
  plan: ListPlan
}

export interface ShownRecord {
  record: ResourceRecord
  release: ShownRelease
}

/** Of each combination of the counted fields of a view; null where it is not available. */
export type Groups = readonly Group[] | null

/**
 * One request for a page. A `key` is that of the record in the path of a list or of a record; empty where
 * there is none. The methods throw ApiError, Unavailable or ReleaseUnavailable.
 */
export interface Visit extends Pick<Visitor, "query" | "publicUrl"> {
  page(list: ListAddress, key: string, query: string): Promise<ShownPage>
  record(view: ListView, key: string, query: string): Promise<ShownRecord>
  /** Every record of a list as a response in CSV, whose query asks for that. */
  export(list: ListAddress, key: string, query: string): Promise<Response>
  /** Of the list of a page; without a plan, of the list without filters; without a release, at the newest. */
  groups(view: ListView, key: string, of?: Partial<ShownPage>): Promise<Groups>
  newest(): Promise<Release>
}

export function createVisits(options: VisitOptions): (visitor: Visitor) => Visit {
  const answerList = createListAnswer(options)
  const answerRecord = createRecordAnswer(options)
  const { releases, planOf } = options

  return ({ person, query, publicUrl, request, ...visitor }) => {
    const { accountId: account, sessionId } = person
    const contextOf = (path: string, query: string, asked: Request): RequestContext => ({
      ...visitor,
      request: asked,
      caller: { accountId: account, tokenId: withoutToken },
      reader: `session ${sessionId}`,
      format: "json",
      path,
      query,
    })
    const answerOf = async (list: ListAddress, key: string, query: string, asked: Request) => {
      const context = contextOf(apiPathOf(list, key), query, asked)
      const plan = planOf({ endpoint: list.endpoint, parent: key }, context)
      return { plan, answer: await answerList(context, plan) }
    }
    // The response is read here: it must be whole, in no coding and for no condition.
    const whole = new Request(request.url)
    return {
      query,
      publicUrl,
      page: async (list, key, query) => {
        const { plan, answer } = await answerOf(list, key, query, whole)
        const { data, meta, release } = await read<ResourceRecord[]>(answer)
        return { records: data, meta, release, plan }
      },
      record: async (view, key, query) => {
        const context = contextOf(recordPathOf(view, key), query, whole)
        const answer = await answerRecord(context, view.endpoint.resource, key)
        const { data, release } = await read<ResourceRecord>(answer)
        return { record: data, release }
      },
      export: async (list, key, query) => (await answerOf(list, key, query, request)).answer,
      groups: (view, key, { plan = unfiltered(view, key), release } = {}) =>
        readGroups(options, { list: plan.list, fields: countedFields(view), release, account }),
      newest: () => releases.current(account),
    }
  }
}

const unfiltered = (view: ListView, key: string) =>
  planList(view.endpoint, { path: apiPathOf(view, key), query: "", format: "json" }, key)

/** The one place where records are read from a response. */
async function read<Data>(answer: Response) {
  const { data, meta } = (await answer.json()) as { data: Data; meta: PageMeta }
  const published = answer.headers.get("last-modified")
  const release: ShownRelease = {
    id: Number(answer.headers.get("x-data-release")),
    published: published === null ? null : new Date(published),
  }
  return { data, meta, release }
}

/** Ample for what is cached or scanned soon. A scan that takes longer is cached for the next page. */
const waitMs = 1_000

interface Reads {
  reader: Pick<Reader, "breakdown">
  releases: Pick<Releases, "current" | "at">
}

interface Counted {
  list: List
  fields: readonly string[]
  release: Pick<ShownRelease, "id"> | undefined
  account: AccountId
}

/** Null where they are not available in time: the page is shown without them. */
export async function readGroups(
  { reader, releases }: Reads,
  { list, fields, release: shown, account }: Counted,
  limitMs = waitMs,
): Promise<Groups> {
  const read = async () => {
    if (fields.length === 0) return []
    const newest = await releases.current(account)
    const isNewest = shown === undefined || shown.id === newest.id
    const release = isNewest
      ? newest
      : await releases.at({ kind: "release", id: shown.id }, account)
    return "refused" in release ? null : reader.breakdown(list, fields, { release, account })
  }
  try {
    return await settleWithin(limitMs, read(), noAnswerWithin)
  } catch (error) {
    if (error instanceof Unavailable || error instanceof ReleaseUnavailable) return null
    throw error
  }
}
