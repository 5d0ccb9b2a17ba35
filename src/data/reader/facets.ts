/** The values that a filter of a list takes, and how many records of the list have each. */

import { fold, splitValues } from "../../system/text/fold.ts"
import { filterOf } from "../resources/resource.ts"
import type { Counts, Reading, ReadOptions, ValueCount } from "./reads.ts"
import { type Groups, type List, listKey } from "./statements.ts"

export interface FacetOptions extends ReadOptions {
  /** Counts the values of a long list among some of its records. */
  isSampled?: boolean
}

export function createFacets({ pools, caches, read }: Reading) {
  /**
   * Most frequent first, equal counts by value, unknown last; null where there are too many to be counted.
   * @param filter the name of a filter with `values`
   * @throws Unavailable, ReleaseUnavailable
   */
  return async (
    list: List,
    filter: string,
    { isSampled = false, ...options }: FacetOptions,
  ): Promise<Counts | null> => {
    const key = `${filter} ${isSampled} ${listKey(list, options)}`
    const cached = caches.facets.get(key)
    if (cached) return cached.counts
    const { groups, ranked } = await read(pools.lists, {
      ...options,
      list,
      key: `facet ${filter} ${isSampled}`,
      statement: ({ statements, relation, values }) =>
        statements.facet(list, filter, relation, isSampled).execute(values),
    })
    const rows = ranked ?? (groups && tallied(list, filter, groups))
    const counts = rows && packed(rows)
    caches.facets.set(key, { counts })
    return counts
  }
}

/**
 * The counts of values, each as JSON. Spellings that a filter takes as equal count together.
 * @param groups how many records have which value in their column, which may list several as `A; B`
 */
function tallied({ resource }: List, filter: string, groups: Groups): string[] {
  const { values } = filterOf(resource, filter)
  const isList = values !== undefined && "isList" in values
  const counted = groups.flatMap(([text, count]) =>
    valuesOf(text, isList).map((value) => ({ value, count })),
  )
  const bySpelling = sums(counted, (value) => value)
  const counts = sums(bySpelling, (value) => (value === null ? null : fold(value)))
  return counts.map(({ value, count }) => JSON.stringify([value, count]))
}

/** @param rows a value and its count each, as JSON */
function packed(rows: readonly string[]): Counts {
  const bytes = Buffer.from(rows.join(","))
  const starts = new Uint32Array(rows.length + 1)
  for (const [index, row] of rows.entries()) {
    starts[index + 1] = (starts[index] ?? 0) + Buffer.byteLength(row) + 1
  }
  return {
    length: rows.length,
    bytes: bytes.length + starts.byteLength,
    slice: (from = 0, to = rows.length) => {
      const [first, last] = [starts[from], starts[Math.min(to, rows.length)]]
      if (first === undefined || last === undefined || first >= last) return []
      const counts: Groups = JSON.parse(`[${bytes.toString("utf8", first, last - 1)}]`)
      return counts.map(([value, count]) => ({ value, count }))
    },
  }
}

/** The sums of counts whose values have the same key, each under its most frequent value. */
function sums(counts: ValueCount[], keyOf: (value: string | null) => string | null): ValueCount[] {
  const groups = Map.groupBy(counts, ({ value }) => keyOf(value))
  return [...groups.values()]
    .map((equal) => ({
      value: equal[0]?.value ?? null,
      count: equal.reduce((sum, { count }) => sum + count, 0),
    }))
    .sort(mostFrequentFirst)
}

/** Each once, as a record counts once however often it names a value. */
function valuesOf(text: string | null, isList: boolean): (string | null)[] {
  const values = isList && text !== null ? splitValues(text) : []
  if (values.length === 0) return [text]
  return [...new Map(values.map((each) => [fold(each), each])).values()]
}

function mostFrequentFirst(one: ValueCount, other: ValueCount): number {
  if (one.value === null || other.value === null) return one.value === null ? 1 : -1
  return other.count - one.count || (one.value < other.value ? -1 : 1)
}
