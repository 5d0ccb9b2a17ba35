/**
 * How many records of a list have each combination of values of some fields. One scan of the list counts
 * all combinations, from which the counts of each field add up.
 */
import type { Value } from "../../resources/resource.ts"
import { type Cache, type CacheSizes, createCache } from "../cache.ts"
import type { ReaderPools } from "./reader.ts"
import type { ReadOptions, Reads } from "./reads.ts"
import { bindingsOf, bindRelease, type List, listKey } from "./statements.ts"

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

/** As PostgreSQL gave it; "null" for too many. */
export type BreakdownCache = Cache<string>

export const createBreakdownCache = ({
  breakdowns,
}: Pick<CacheSizes, "breakdowns">): BreakdownCache =>
  createCache(breakdowns, (text) => 2 * text.length)

export function createBreakdowns(
  { lists }: Pick<ReaderPools, "lists">,
  read: Reads,
  cache: BreakdownCache,
): ReadBreakdown {
  async function readText(list: List, fields: readonly string[], options: ReadOptions) {
    const key = `breakdown ${listKey(list, options.release)} ${fields}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const values = { ...bindingsOf(list), ...bindRelease(options.release) }
    const { groups } = await read(lists, {
      ...options,
      removed: list.removed,
      key,
      statement: ({ statements, relation }) =>
        statements.breakdown(list, fields, relation).execute(values),
    })
    cache.set(key, groups)
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
