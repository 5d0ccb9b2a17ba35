/** Which release an answer shows, and the releases that its query names. */
import type { Account } from "../db/pool/fair-queue.ts"
import type { List, ReadOptions } from "../db/reader/reader.ts"
import { removedSinceName, updatedSinceName } from "../db/reader/relations.ts"
import type { Release, Releases } from "../db/reader/releases.ts"
import { invalidParameters } from "../http/api-error.ts"
import { isFuture, parseMoment } from "../http/point-in-time.ts"
import type { Moments } from "./list-plan.ts"

/** Reads what moments mean. @throws ApiError INVALID_PARAMETER for the future and for what is not kept any more */
export function createMoments(releases: Releases, now: () => Date) {
  async function resolve(parameter: string, text: string, account: Account): Promise<Release> {
    const moment = parseMoment(text)
    const refuse = (message: string) => invalidParameters([{ parameter, message }])
    if (!moment) throw refuse("Must be a release number, a date or a date-time")
    if (isFuture(moment, now().getTime() / 1000)) throw refuse("Must not be in the future")
    const release = await releases.at(moment, account)
    if ("refused" in release) throw refuse(release.refused)
    return release
  }

  return {
    /** The release of `as_of`, or the newest. */
    shown: (asOf: string | undefined, account: Account): Promise<Release> =>
      asOf === undefined ? releases.current(account) : resolve("as_of", asOf, account),

    /** The list with the releases that it compares with. */
    compared: async (
      list: List,
      { updatedSince, removedSince }: Moments,
      { release: shown, account }: ReadOptions,
    ) => {
      const bound: Record<string, unknown> = {}
      if (updatedSince !== undefined) {
        bound[updatedSinceName] = (await resolve("updated_since", updatedSince, account)).id
      }
      if (removedSince !== undefined) {
        const since = await resolve("removed_since", removedSince, account)
        if (since.id > shown.id) {
          const message = `Must not be after release ${shown.id}, which the answer shows`
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
