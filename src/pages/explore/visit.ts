/**
 * What a page of the explorer reads. It asks the API's own code, as a request of the person's account:
 * with the same checks of parameters, caches, page sequences and errors.
 */
import type { SignedIn } from "../../access/sessions.ts"
import type { AnswerOptions } from "../../answers/answer-options.ts"
import type { PlanOf } from "../../answers/cached-plans.ts"
import { createListAnswer } from "../../answers/list-answer.ts"
import type { RequestedList } from "../../answers/list-endpoint.ts"
import type { ListPlan } from "../../answers/list-plan.ts"
import { createRecordAnswer } from "../../answers/record-answer.ts"
import type { RequestContext } from "../../answers/request-context.ts"
import { withoutToken } from "../../db/account-tables.ts"
import type { Group } from "../../db/reader/breakdown.ts"
import type { CachedReleases } from "../../db/reader/newest-release.ts"
import type { Reader } from "../../db/reader/reader.ts"
import type { Release } from "../../db/reader/releases.ts"
import type { PageMeta } from "../../http/page.ts"
import type { Readable, ResourceRecord } from "../../resources/resource.ts"
import { countedFields, type ListView } from "./lists/list-view.ts"
import { readBreakdown } from "./reading/breakdowns.ts"

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

/** A path and a query of the API. */
interface Target {
  path: string
  query: string
}

export type AskedPage = RequestedList & Target
export type AskedRecord = Target & { resource: Readable; key: string }

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

/** One request for a page. Its methods throw ApiError, Unavailable or ReleaseUnavailable. */
export interface Visit extends Pick<Visitor, "query" | "publicUrl"> {
  page(list: AskedPage): Promise<ShownPage>
  record(record: AskedRecord): Promise<ShownRecord>
  /** Every record of a list as a response in CSV, whose query asks for that. */
  export(list: AskedPage): Promise<Response>
  /** @param release undefined for the newest */
  groups(view: ListView, plan: Pick<ListPlan, "list">, release?: number): Promise<Groups>
  newest(): Promise<Release>
}

export function createVisits(options: VisitOptions): (visitor: Visitor) => Visit {
  const answerList = createListAnswer(options)
  const answerRecord = createRecordAnswer(options)
  const { releases, planOf } = options

  return ({ person, query, publicUrl, request, ...visitor }) => {
    const { accountId: account, sessionId } = person
    const contextOf = (target: Target, asked: Request): RequestContext => ({
      ...visitor,
      request: asked,
      caller: { accountId: account, tokenId: withoutToken },
      reader: `session ${sessionId}`,
      format: "json",
      path: target.path,
      query: target.query,
    })
    // The response is read here: it must be whole, in no coding and for no condition.
    const whole = new Request(request.url)
    return {
      query,
      publicUrl,
      page: async (list) => {
        const context = contextOf(list, whole)
        const plan = planOf(list, context)
        const answer = await answerList(context, plan)
        const { data, meta, release } = await read<ResourceRecord[]>(answer)
        return { records: data, meta, release, plan }
      },
      record: async (asked) => {
        const answer = await answerRecord(contextOf(asked, whole), asked.resource, asked.key)
        const { data, release } = await read<ResourceRecord>(answer)
        return { record: data, release }
      },
      export: async (list) => {
        const context = contextOf(list, request)
        return answerList(context, planOf(list, context))
      },
      groups: (view, plan, release) =>
        readBreakdown(options, { plan, fields: countedFields(view), release, account }),
      newest: () => releases.current(account),
    }
  }
}

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
