/** Resolves the release that a response shows, and the releases that its list compares with. */

import type { AccountId } from "../../data/db/pool/turns.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import { type Release, type Releases, ReleaseUnavailable } from "../../data/reader/releases.ts"
import { invalidParameters } from "../http/api-error.ts"
import { parsePointInTime, pointFault } from "../http/point-in-time.ts"
import type { Requester } from "./data-request.ts"
import type { Pins } from "./pins.ts"
import type { Question } from "./question.ts"

export interface ReleaseOptions {
  releases: Releases
  /** The releases of page sequences. */
  pins: Pins
  now: () => Date
}

export type ReleaseResolver = ReturnType<typeof createReleaseResolver>

export function createReleaseResolver({ releases, pins, now }: ReleaseOptions) {
  /**
   * @param name the parameter that has the point
   * @param text a valid point in time
   * @param shown the release that the response shows, if the point must not be after it
   * @throws as `resolve`
   */
  async function releaseAt(
    name: string,
    text: string,
    account: AccountId,
    shown?: Release,
  ): Promise<Release> {
    const invalid = (message: string) => invalidParameters([{ parameter: name, message }])
    const point = parsePointInTime(text)
    if (!point) throw new Error(`Not a point in time: ${text}`)
    const fault = pointFault(point, now().getTime())
    if (fault) throw invalid(fault)
    const release = await releases.at(point, account)
    if ("refused" in release) throw invalid(release.refused)
    if (shown && release.id > shown.id) {
      throw invalid(`Must not be after release ${shown.id}, which the response shows`)
    }
    return release
  }

  /**
   * Returns the release of `as_of`, or the newest.
   * @throws ApiError INVALID_PARAMETER for a point without a release yet and for a pruned one; Unavailable
   */
  const resolve = (asOf: string | undefined, account: number): Promise<Release> =>
    asOf === undefined ? releases.current(account) : releaseAt("as_of", asOf, account)

  return {
    releaseAt,

    /**
     * Reads a page at the release that its page sequence has pinned. Without a pin, reads and pins the
     * release of `as_of`, or the newest. Records and exports have no pages, and a release number needs no pin.
     * @throws ApiError INVALID_PARAMETER if the pinned release was pruned; as `resolve` and `read`
     */
    atRelease: async <T>(
      question: Question,
      { account, sequenceOwner }: Requester,
      read: (release: Release) => Promise<T>,
    ): Promise<T> => {
      const { asOf } = question
      const isFixed = asOf !== undefined && parsePointInTime(asOf)?.kind === "release"
      if (isFixed || question.kind === "record" || question.range === "whole") {
        return read(await resolve(asOf, account))
      }
      const sequence = `${sequenceOwner} ${question.sequence}`
      const isLater = question.range.page > 1
      const pinned = isLater ? await pins.pinned(sequence) : undefined
      if (pinned) {
        return read(pinned).catch((error: unknown) => {
          throw error instanceof ReleaseUnavailable ? pinLost(pinned) : error
        })
      }
      const release = await resolve(asOf, account)
      const result = await read(release)
      await pins.pin(sequence, release, isLater ? "if absent" : "replace")
      return result
    },

    /**
     * Adds to a release the earlier one with which the question compares it.
     * @throws as `resolve`
     */
    comparedAt: async <Read extends ReadOptions>(question: Question, read: Read): Promise<Read> => {
      if (question.kind === "record") return read
      const { list, since: point } = question
      const { release, account } = read
      if (list.resource.pastVersions) return { ...read, since: await releases.oldest(account) }
      if (point === undefined) return read
      const { id: since } =
        list.since === "removed"
          ? await releaseAt("removed_since", point, account, release)
          : await releaseAt("updated_since", point, account)
      return { ...read, since }
    },
  }
}

function pinLost({ id }: Release) {
  const message = `Release ${id}, which page 1 showed, is no longer available; start again at page 1`
  return invalidParameters([{ parameter: "page", message }])
}

/** The day by which a response judges dates: today, or that of the release that `as_of` names. */
export const dayOfData = (asOf: unknown, { publishedAt }: Release, now: Date): string =>
  (asOf === undefined ? now : new Date(publishedAt * 1000)).toISOString().slice(0, 10)
