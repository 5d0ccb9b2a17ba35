/**
 * Asks the API's own code, as a request of the person's account: with the same checks of parameters,
 * caches, page sequences and errors.
 */
import type { SignedIn } from "../../../access/sessions.ts"
import type { AnswerOptions } from "../../../answers/answer-options.ts"
import { createListAnswer } from "../../../answers/list-answer.ts"
import type { ListPlan } from "../../../answers/list-plan.ts"
import type { ListPreparation, RequestedList } from "../../../answers/prepare-list.ts"
import { createRecordAnswer } from "../../../answers/record-answer.ts"
import type { RequestContext } from "../../../answers/request-context.ts"
import { withoutToken } from "../../../db/account-tables.ts"
import type { PageMeta } from "../../../http/page.ts"
import type { Readable, ResourceRecord } from "../../../resources/resource.ts"

export type AskOptions = AnswerOptions & { lists: ListPreparation }

/** Who asks, and with which request. */
export interface Asking {
  person: Pick<SignedIn, "accountId">
  request: Request
  requestId: string
  address: string
  /** Lets the connection be quiet for as long as the response takes. */
  disableIdleTimeout: () => void
}

/** A path and a query of the API. */
export interface Target {
  path: string
  query: string
}

/** The release that an answer shows. */
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

export interface Ask {
  /** One page of a list. @throws ApiError, Unavailable, ReleaseUnavailable */
  page(asking: Asking, list: RequestedList, target: Target): Promise<ShownPage>
  /** One record. @throws the same */
  record(asking: Asking, resource: Readable, key: string, target: Target): Promise<ShownRecord>
  /** Every record of a list as a response in CSV, whose target asks for that. @throws the same */
  export(asking: Asking, list: RequestedList, target: Target): Promise<Response>
}

export function createAsk(options: AskOptions): Ask {
  const answerList = createListAnswer(options)
  const answerRecord = createRecordAnswer(options)

  const contextOf = (asking: Asking, target: Target, request: Request): RequestContext => ({
    request,
    requestId: asking.requestId,
    caller: { accountId: asking.person.accountId, tokenId: withoutToken },
    address: asking.address,
    disableIdleTimeout: asking.disableIdleTimeout,
    format: "json",
    ...target,
  })

  return {
    page: async (asking, list, target) => {
      const context = contextOf(asking, target, plainRequest(asking))
      const prepared = options.lists.prepare(context, list)
      const answer = await answerList(context, prepared)
      const { data, meta } = (await answer.json()) as { data: ResourceRecord[]; meta: PageMeta }
      return { records: data, meta, release: releaseOf(answer), plan: prepared.plan }
    },

    record: async (asking, resource, key, target) => {
      const context = contextOf(asking, target, plainRequest(asking))
      const answer = await answerRecord(context, resource, key)
      const { data } = (await answer.json()) as { data: ResourceRecord }
      return { record: data, release: releaseOf(answer) }
    },

    export: async (asking, list, target) => {
      const context = contextOf(asking, target, asking.request)
      return answerList(context, options.lists.prepare(context, list))
    },
  }
}

/** Its answer is read here: it must be whole, in no coding and for no condition. */
const plainRequest = ({ request }: Asking): Request => new Request(request.url)

function releaseOf({ headers }: Response): ShownRelease {
  const published = headers.get("last-modified")
  return {
    id: Number(headers.get("x-data-release")),
    published: published === null ? null : new Date(published),
  }
}
