/** How many records of a list have which values, for the page that shows the list. */
import type { ListPlan } from "../../../answers/list-plan.ts"
import type { AccountId } from "../../../db/pool/turns.ts"
import { noAnswerWithin, Unavailable } from "../../../db/pool/unavailable.ts"
import type { Group } from "../../../db/reader/breakdown.ts"
import type { Reader } from "../../../db/reader/reader.ts"
import { type Releases, ReleaseUnavailable } from "../../../db/reader/releases.ts"
import { settleWithin } from "../../../text/settle-within.ts"

export interface BreakdownOptions {
  reader: Pick<Reader, "breakdown">
  releases: Pick<Releases, "current" | "at">
}

/** What a breakdown is for. */
export interface BreakdownOf {
  plan: Pick<ListPlan, "list">
  fields: readonly string[]
  /** The number of the release that the page shows; undefined for the newest. */
  release: number | undefined
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
    const newest = await releases.current(account)
    const isNewest = id === undefined || id === newest.id
    const release = isNewest ? newest : await releases.at({ kind: "release", id }, account)
    return "refused" in release ? null : reader.breakdown(plan.list, fields, { release, account })
  }
  try {
    return await settleWithin(limitMs, read(), noAnswerWithin)
  } catch (error) {
    if (error instanceof Unavailable || error instanceof ReleaseUnavailable) return null
    throw error
  }
}
