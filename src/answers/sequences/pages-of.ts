import type { Release } from "../../db/reader/releases.ts"
import { type ApiError, invalidParameters } from "../../http/api-error.ts"
import { digest } from "../../text/digest.ts"
import type { ListPlan } from "../list-plan.ts"
import type { RequestContext } from "../request-context.ts"
import type { PageSequences } from "./page-sequences.ts"

/** A request's page in its page sequence. Exports are in none. */
export interface SequencePages {
  /** The release that a later page belongs to, as long as its sequence is active. */
  release(): Promise<Release | undefined>
  /**
   * Begins a sequence if this is page 1. That of `as_of` is pinned too: what a day shows may change
   * until it has ended.
   * @param total how many pages there are, if that is known
   */
  begin(release: Release, total?: number): Promise<void>
  /** The release of a later page is no longer available. Returns the error for the client. */
  lose(release: Release): Promise<ApiError>
}

/** @param askedMs when the request was received */
export function pagesOf(
  sequences: PageSequences,
  { caller, address }: RequestContext,
  { page, all, sequenceKey }: ListPlan,
  askedMs: number,
): SequencePages {
  const query = { accountId: caller.accountId, key: digest(sequenceKey) }
  const client = `${caller.tokenId} ${address}`
  return {
    release: async () =>
      all || page === 1 ? undefined : sequences.next(query, client, page, askedMs),

    begin: async (release, pages) => {
      if (all || page !== 1) return
      await sequences.begin(query, { client, release, pages }, askedMs)
    },

    lose: async (release) => {
      await sequences.lose(query, release, askedMs)
      const message = `Release ${release.id}, which page 1 showed, is no longer available; start again at page 1`
      return invalidParameters([{ parameter: "page", message }])
    },
  }
}
