/** Which release a response shows, and the releases that its query compares with. */
import type { AccountId } from "../db/pool/turns.ts"
import type { List } from "../db/reader/list.ts"
import type { ReadOptions } from "../db/reader/reads.ts"
import { removedSinceName, updatedSinceName } from "../db/reader/relations.ts"
import { type Release, type Releases, ReleaseUnavailable } from "../db/reader/releases.ts"
import { invalidParameters } from "../http/api-error.ts"
import { isFuture, type PointInTime } from "../http/point-in-time.ts"
import { step } from "../telemetry/steps.ts"
import { type ListPlan, type PointsInTime, planFrom } from "./list-plan.ts"

export interface ReleaseResolver {
  /**
   * The release of `as_of`, or the newest.
   * @throws ApiError INVALID_PARAMETER for the future and for what is no longer kept; Unavailable
   */
  resolve(asOf: PointInTime | undefined, account: AccountId): Promise<Release>
  /** The plan of a list of versions with the oldest release that is kept; any other as it is. @throws Unavailable */
  withOldest(plan: ListPlan, account: AccountId): Promise<ListPlan>
  /** The list with the releases that `updated_since` and `removed_since` name. @throws the same */
  comparing(list: List, points: PointsInTime, options: ReadOptions): Promise<List>
}

export function createReleaseResolver(releases: Releases, now: () => Date): ReleaseResolver {
  async function resolve(
    parameter: string,
    point: PointInTime,
    account: AccountId,
  ): Promise<Release> {
    const refuse = (message: string) => invalidParameters([{ parameter, message }])
    if (isFuture(point, now().getTime() / 1000)) throw refuse("Must not be in the future")
    const release = await releases.at(point, account)
    if ("refused" in release) throw refuse(release.refused)
    return release
  }

  return {
    resolve: (asOf, account) =>
      step("release", () =>
        asOf === undefined ? releases.current(account) : resolve("as_of", asOf, account),
      ),

    withOldest: async (plan, account) =>
      plan.list.resource.pastVersions ? planFrom(plan, await releases.oldest(account)) : plan,

    comparing: async (list, { updatedSince, removedSince }, { release: shown, account }) => {
      const bound: Record<string, unknown> = {}
      if (updatedSince !== undefined) {
        bound[updatedSinceName] = (await resolve("updated_since", updatedSince, account)).id
      }
      if (removedSince !== undefined) {
        const since = await resolve("removed_since", removedSince, account)
        if (since.id > shown.id) {
          const message = `Must not be after release ${shown.id}, which the response shows`
          throw invalidParameters([{ parameter: "removed_since", message }])
        }
        bound[removedSinceName] = since.id
      }
      if (Object.keys(bound).length === 0) return list
      return {
        ...list,
        bound: { ...list.bound, ...bound },
        identity: `${list.identity} ${JSON.stringify(bound)}`,
      }
    },
  }
}

/**
 * Answers at a resolved release. Where that one turns out to be no longer there, because the database
 * was restored since it was read, it is resolved and answered once more.
 */
export const answerOnceMore = <T>(
  release: Release,
  resolveAgain: () => Promise<Release>,
  answer: (release: Release) => Promise<T>,
): Promise<T> =>
  answer(release).catch(async (error: unknown) => {
    if (!(error instanceof ReleaseUnavailable)) throw error
    return answer(await resolveAgain())
  })
