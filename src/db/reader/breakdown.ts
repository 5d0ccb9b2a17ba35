/**
 * How many records of a list have each combination of values of some fields. One scan of the list counts
 * all combinations, from which the counts of each field add up.
 */
import type { Value } from "../../resources/resource.ts"
import type { Reading } from "./reader.ts"
import type { ReadOptions } from "./reads.ts"
import { type List, listKey } from "./statements.ts"

export interface Group {
  /** Of the fields, in their order. */
  values: readonly Value[]
  records: number
}

/**
 * The groups in no particular order; null where there are more than can be shown.
 * May throw Unavailable or ReleaseUnavailable.
 * @param fields names of fields that are columns as they are
 */
export type ReadBreakdown = (
  list: List,
  fields: readonly string[],
  options: ReadOptions,
) => Promise<readonly Group[] | null>

export function createBreakdowns({ pools, caches, read }: Reading): ReadBreakdown {
  /** As PostgreSQL gave it; "null" for too many. */
  async function readText(list: List, fields: readonly string[], options: ReadOptions) {
    const key = `${fields} ${listKey(list, options.release)}`
    const cached = caches.breakdowns.get(key)
    if (cached !== undefined) return cached
    const { groups } = await read(pools.lists, {
      ...options,
      list,
      key: `breakdown ${fields}`,
      statement: ({ statements, relation, values }) =>
        statements.breakdown(list, fields, relation).execute(values),
    })
    caches.breakdowns.set(key, groups)
    return groups
  }

  return async (list, fields, options) => {
    const groups: [...Value[], number][] | null = JSON.parse(await readText(list, fields, options))
    return (
      groups?.map((group) => ({
        values: group.slice(0, fields.length),
        records: Number(group[fields.length]),
      })) ?? null
    )
  }
}
