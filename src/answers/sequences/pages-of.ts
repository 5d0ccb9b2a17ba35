import { type Release, releaseKey } from "../../db/reader/releases.ts"
import { type ApiError, invalidParameters } from "../../http/api-error.ts"
import type { AttachedCall } from "../../redis/script.ts"
import type { ListPlan } from "../list-plan.ts"
import type { RequestContext } from "../request-context.ts"
import type { PageSequences } from "./page-sequences.ts"
import type { ChangedSequences } from "./sequence-change.ts"

/** A request's page in its page sequence. Exports are in none. */
export interface SequencePages {
  /** The release that a later page belongs to, as long as its sequence is active. */
  release(): Promise<Release | undefined>
  /**
   * Begins a sequence if this is page 1 and there are more. That of `as_of` is pinned too: what a
   * day shows may change until it has ended.
   * @param pages how many there are, if that is known
   */
  begin(release: Release, pages?: number): Promise<void>
  /** The release of a later page is no longer available. Returns the error for the client. */
  lose(release: Release): Promise<ApiError>
}

/** Before the request is admitted. */
export interface PreparedPages extends SequencePages {
  /**
   * What `release` and `begin` will ask Redis, as a call that is sent together with another one;
   * undefined where they won't, or it is not known yet. Once its reply was received, they don't ask
   * again.
   * @param first what page 1 will show, if it is known
   */
  attach(first: ShownFirst | undefined): AttachedCall | undefined
}

export interface ShownFirst {
  release: Release
  pages: number | undefined
}

/** @param askedMs when the request was received */
export function pagesOf(
  sequences: PageSequences,
  { caller, address }: Pick<RequestContext, "caller" | "address">,
  { page, all, sequenceId }: Pick<ListPlan, "page" | "all" | "sequenceId">,
  askedMs: number,
): PreparedPages {
  const query = { accountId: caller.accountId, key: sequenceId }
  const client = `${caller.tokenId} ${address}`
  const isLater = !all && page > 1
  const begins = (pages: number | undefined) =>
    !all && page === 1 && (pages === undefined || pages > 1)
  /** What was sent together with another call, and what came of it. */
  let sent: { first: ShownFirst | undefined; changed: Promise<ChangedSequences> } | undefined

  return {
    release: async () => {
      if (!isLater) return undefined
      return sent ? (await sent.changed).release : sequences.next(query, client, page, askedMs)
    },

    begin: async (release, pages) => {
      if (!begins(pages)) return
      if (sent?.first && isSame(sent.first, { release, pages })) await sent.changed
      else await sequences.begin(query, { client, release, pages }, askedMs)
    },

    lose: async (release) => {
      await sequences.lose(query, release, askedMs)
      const message = `Release ${release.id}, which page 1 showed, is no longer available; start again at page 1`
      return invalidParameters([{ parameter: "page", message }])
    },

    attach: (first) => {
      if (!isLater && !(first && begins(first.pages))) return undefined
      const attached = sequences.attach(
        query,
        first
          ? { kind: "begin", started: { client, ...first }, ms: askedMs }
          : { kind: "read", client, page, ms: askedMs },
      )
      return (
        attached && {
          ...attached.call,
          receive: (reply) => {
            const changed = attached.receive(reply)
            // Where it failed, the request does once it needs it.
            changed.catch(() => {})
            sent = { first, changed }
          },
        }
      )
    },
  }
}

const isSame = (one: ShownFirst, other: ShownFirst): boolean =>
  releaseKey(one.release) === releaseKey(other.release) && one.pages === other.pages
