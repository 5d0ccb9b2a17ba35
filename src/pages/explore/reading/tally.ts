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
  const counted = groups.flatMap(({ values, records }) =>
    valuesOf(values[index], isList).map((value) => ({ value, records })),
  )
  const bySpelling = sums(counted, (value) => value)
  return sums(bySpelling, (value) => (value === null ? null : fold(value)))
}

/** The sums of tallies whose values have the same key, each under its most frequent value. */
function sums(tallies: readonly Tally[], keyOf: (value: string | null) => string | null): Tally[] {
  const groups = Map.groupBy(tallies, ({ value }) => keyOf(value))
  return [...groups.values()]
    .map((equal) => ({
      value: equal[0]?.value ?? null,
      records: equal.reduce((sum, { records }) => sum + records, 0),
    }))
    .sort(byRecords)
}

/** Each once, as a record counts once however often it names a value. */
function valuesOf(value: Group["values"][number] | undefined, isList: boolean): (string | null)[] {
  if (value === null || value === undefined) return [null]
  const values = isList ? splitValues(String(value)) : []
  if (values.length === 0) return [String(value)]
  return [...new Map(values.map((each) => [fold(each), each])).values()]
}

const byRecords = (one: Tally, other: Tally): number =>
  other.records - one.records || ((one.value ?? "") < (other.value ?? "") ? -1 : 1)
