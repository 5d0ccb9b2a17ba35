/**
 * The guard against a truncated download. A complete set that lacks more than a twentieth of its
 * source's records is more often half a file than a true one. A record is judged once: by the load
 * that lacks it first or, where missing records go at once, by the load that it would go in. So
 * records that are already missing do not stop the loads that follow.
 */
import type { Source } from "../sources/source.ts"
import type { Absent } from "./absence.ts"
import { LoadError } from "./load-error.ts"
import { formatCount } from "./progress.ts"

const maxMissingShare = 0.05

interface Subject {
  source: string
  /** The records' table. */
  table: string
  whenMissing: Source["whenMissing"]
  atOnce: boolean
}

/** @throws LoadError with the figures */
export function guardAgainstShrinking(
  { stored, absent, newly }: Absent,
  { source, table, whenMissing, atOnce }: Subject,
): void {
  const missing = atOnce ? absent : newly
  if (missing <= stored * maxMissingShare) return
  const share = ((100 * missing) / stored).toFixed(1)
  const active = whenMissing === "remove" ? "" : "active "
  const effect = whenMissing === "remove" ? "removed" : "deactivated"
  throw new LoadError(
    `Nothing was published: ${formatCount(missing)} of the ${formatCount(stored)} ${active}${table} ` +
      `of the source ${source} (${share}%) are missing from the files${atOnce ? ` and would be ${effect}` : ", and were not before"}. ` +
      "If a file is truncated, load a complete one; if the records no longer exist, add --accept-shrink",
  )
}
