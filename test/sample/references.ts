import type { Register } from "./registers.ts"

export interface Reference {
  /** Such as `WA-E47-1234`. */
  id: string
  /** Such as `E47/1234`. */
  tenementId: string
}

/**
 * Coprime to every register's number of districts, so that each round visits every district once.
 */
const stride = 29

/**
 * A register's next reference for some letters, after `count` others. Two counts never have
 * the same reference: districts (or years) take turns, and within a district each turn has seven
 * numbers of its own, of which `offset` (0 to 6) chooses one, as real series have gaps.
 */
export function referenceOf(
  register: Register,
  letters: string,
  count: number,
  offset: number,
): Reference {
  const { low, span, pad, place } = register.series
  const district = (count * stride) % span
  const turn = Math.floor(count / span)
  // Each district's numbers begin at a different one; a year's begin at 1.
  const base = place === "first" ? 100 + ((district * 397) % 2500) : 1
  const number = String(base + turn * 7 + offset)
  const series = String(low + district).padStart(pad, "0")
  const [first, second] = place === "first" ? [series, number] : [number, series]
  return {
    id: `${register.state}-${letters}${first}-${second}`,
    tenementId: `${letters}${first}/${second}`,
  }
}
