/** The records of each value of one field, added up from groups. */
import type { Group } from "../../../db/reader/breakdown.ts"
import { fold, splitValues } from "../../../text/fold.ts"

export interface Tally {
  /** As its records have it: of several spellings the most frequent; null where it is unknown. */
  value: string | null
  records: number
}

/**
 * Most records first. Spellings that a filter takes as equal count together.
 * @param index of the field in the groups
 * @param isList whether the field lists several values as `A; B`, each of which counts
 */
export function tally(groups: readonly Group[], index: number, isList = false): Tally[] {
  const spellings = new Map<string | null, Map<string | null, number>>()
  for (const { values, records } of groups) {
    for (const value of valuesOf(values[index], isList)) {
      const folded = value === null ? null : fold(value)
      const counts = spellings.get(folded) ?? new Map<string | null, number>()
      spellings.set(folded, counts)
      counts.set(value, (counts.get(value) ?? 0) + records)
    }
  }
  return [...spellings.values()].map(total).sort(byRecords)
}

/** Each once, as a record counts once however often it names a value. */
function valuesOf(value: Group["values"][number] | undefined, isList: boolean): (string | null)[] {
  if (value === null || value === undefined) return [null]
  const text = String(value)
  if (!isList) return [text]
  const values = splitValues(text)
  return values.length === 0
    ? [text]
    : [...new Map(values.map((each) => [fold(each), each])).values()]
}

function total(counts: ReadonlyMap<string | null, number>): Tally {
  const [[value] = [null]] = [...counts].sort(
    ([one, records], [other, others]) => others - records || compare(one, other),
  )
  return { value, records: counts.values().reduce((sum, records) => sum + records, 0) }
}

const byRecords = (one: Tally, other: Tally): number =>
  other.records - one.records || compare(one.value, other.value)

const compare = (one: string | null, other: string | null): number =>
  (one ?? "") < (other ?? "") ? -1 : 1
