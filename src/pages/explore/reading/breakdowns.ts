/** How many records of a list have which values, for the page that shows the list. */
import type { ListPlan } from "../../../answers/list-plan.ts"
import type { AccountId } from "../../../db/pool/turns.ts"
import { Unavailable, within } from "../../../db/pool/unavailable.ts"
import type { Group } from "../../../db/reader/breakdown.ts"
import type { CachedReleases } from "../../../db/reader/newest-release.ts"
import type { Reader } from "../../../db/reader/reader.ts"
import { ReleaseUnavailable } from "../../../db/reader/releases.ts"

export interface BreakdownOptions {
  reader: Pick<Reader, "breakdown">
  releases: Pick<CachedReleases, "cached" | "at">
}

/** What a breakdown is for. */
export interface BreakdownOf {
  plan: Pick<ListPlan, "list">
  fields: readonly string[]
  /** The number of the release that the page shows. */
  release: number
  account: AccountId
}

/** Ample for what is cached or scanned soon. A scan that takes longer is cached for the next page. */
const waitMs = 1_000

/** Null where it is not available in time: the page is shown without it. */
export async function readBreakdown(
  { reader, releases }: BreakdownOptions,
  { plan, fields, release: id, account }: BreakdownOf,
  limitMs = waitMs,
): Promise<readonly Group[] | null> {
  const read = async () => {
    if (fields.length === 0) return []
    const newest = releases.cached()
    const release = newest?.id === id ? newest : await releases.at({ kind: "release", id }, account)
    return "refused" in release || release.id !== id
      ? null
      : reader.breakdown(plan.list, fields, { release, account })
  }
  try {
    return await within(limitMs, read())
  } catch (error) {
    if (error instanceof Unavailable || error instanceof ReleaseUnavailable) return null
    throw error
  }
}
