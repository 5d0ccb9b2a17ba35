/** Says that a company may hold more tenements than the linked ones. */
import type { SuggestedHolder } from "../db/reader/suggested-holders.ts"
import { formatCount } from "../text/display.ts"

const mostNamed = 3

/**
 * Null where its possible holders have no more tenements than are linked.
 * @param linked the number of the company's tenements that are shown
 */
export function possibleHoldersWords(
  code: string,
  holders: readonly SuggestedHolder[],
  linked: number,
): string | null {
  const tenements = holders.reduce((total, holder) => total + holder.tenements, 0)
  if (tenements <= linked) return null
  const named = holders
    .slice(0, mostNamed)
    .map((holder) => `${holder.name} (${formatCount(holder.tenements)})`)
  const more = holders.length > mostNamed ? `, and ${holders.length - mostNamed} more` : ""
  return `${code} may hold more tenements, under names of holders that are not linked to it: ${named.join(", ")}${more}.`
}
