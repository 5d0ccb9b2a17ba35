/**
 * The totals of lists, and the keys of those lists that have few rows and are found only by a scan of
 * the table, so that their pages need no other.
 */
import { arrayLiteral } from "../../text/array-literal.ts"
import { type Cache, type CacheSizes, createCache } from "../cache.ts"
import type { ReaderPools } from "./reader.ts"
import type { ReadOptions, Reads } from "./reads.ts"
import { type Release, releaseKey } from "./releases.ts"
import { bindingsOf, bindRelease, type List, listKey } from "./statements.ts"

/** The number of records; or that the list's parent does not exist. */
export type Total = number | "no parent"

export interface TotalCaches {
  totals: Cache<Total>
  keys: Cache<string>
}

export const createTotalCaches = (sizes: Pick<CacheSizes, "totals" | "keys">): TotalCaches => ({
  totals: createCache<Total>(sizes.totals, () => 16),
  keys: createCache<string>(sizes.keys, (text) => 2 * text.length),
})

export interface Totals {
  cached(list: List, release: Release): Total | undefined
  /** The keys of all rows in order, once the total is known and if they are few. */
  keys(list: List, release: Release): readonly string[] | undefined
  /** @throws Unavailable, ReleaseUnavailable */
  read(list: List, options: ReadOptions): Promise<Total>
}

/** Whether a page of the list is read once its total is known: reading both at once would scan twice. */
export const isScanned = ({ byScan = [] }: List): boolean => byScan.length > 0

export function createTotals(
  { lists, records }: Pick<ReaderPools, "lists" | "records">,
  read: Reads,
  { totals, keys }: TotalCaches,
): Totals {
  async function count(list: List, options: ReadOptions): Promise<number> {
    const id = listKey(list, options.release)
    const values = { ...bindingsOf(list), ...bindRelease(options.release) }
    const found = await read(lists, {
      ...options,
      removed: list.removed,
      key: `count ${id}`,
      statement: ({ statements, relation }) =>
        (isScanned(list)
          ? statements.countAndKeys(list, relation)
          : statements.count(list, relation)
        ).execute(values),
    })
    if (found.keys !== null) keys.set(id, found.keys)
    return found.total
  }

  async function parentExists({ parent }: List, options: ReadOptions): Promise<boolean> {
    if (!parent || parent.existsByRows) return true
    const { resource, key } = parent
    const values = { keys: arrayLiteral([key]), ...bindRelease(options.release) }
    const found = await read(records, {
      ...options,
      key: `exists ${resource.name} ${key} ${releaseKey(options.release)}`,
      statement: ({ statements, relation }) => statements.find(resource, relation).execute(values),
    })
    return found.count > 0
  }

  return {
    cached: (list, release) => totals.get(listKey(list, release)),

    keys: (list, release) => {
      const found = isScanned(list) ? keys.get(listKey(list, release)) : undefined
      return found?.split(" ")
    },

    read: async (list, options) => {
      const key = listKey(list, options.release)
      const cached = totals.get(key)
      if (cached !== undefined) return cached
      const [rows, exists] = await Promise.all([count(list, options), parentExists(list, options)])
      const isThere = list.parent?.existsByRows ? rows > 0 : exists
      const total = isThere ? rows : "no parent"
      totals.set(key, total)
      return total
    },
  }
}
