/**
 * The totals of lists, and the keys of those lists that have few rows and are found only by a scan of
 * the table, so that their pages need no other.
 */
import { type Cache, type CacheSizes, createCache } from "../cache.ts"
import type { Pool } from "../pool/pool.ts"
import { bindingsOf, type List, listKey } from "./list.ts"
import type { PoolStatements, ReadList, ReadOptions } from "./list-reader.ts"
import type { Relation } from "./relations.ts"
import type { Release } from "./releases.ts"
import { bindRelease, createStatements, type Prepared, type SeenReleases } from "./statements.ts"

/** The number of records; or that the list's parent does not exist. */
export type Total = number | "no parent"

interface Count extends SeenReleases {
  total: number
  /** Of a list that was scanned, if it has few rows. */
  keys?: string | null
}

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

/** @param read runs a statement on the relation that has the list at the release */
export function createTotals(
  { statements, share }: PoolStatements,
  lookups: Pool,
  read: ReadList,
  { totals, keys }: TotalCaches,
): Totals {
  const byKey = createStatements(lookups.db)

  async function count(
    list: List,
    { release, account, cancellation }: ReadOptions,
  ): Promise<number> {
    const key = listKey(list, release)
    const values = { ...bindingsOf(list), ...bindRelease(release) }
    const statementOn = (relation: Relation): Prepared<Count> =>
      isScanned(list) ? statements.countAndKeys(list, relation) : statements.count(list, relation)
    const [row] = await read(release, list, (relation) =>
      share(
        `count ${relation} ${key}`,
        account,
        () => statementOn(relation).execute(values),
        cancellation,
      ),
    )
    if (!row) throw new Error("A count returned no row")
    if (typeof row.keys === "string") keys.set(key, row.keys)
    return row.total
  }

  async function parentExists({ parent }: List, { release, account, cancellation }: ReadOptions) {
    if (!parent || parent.existsByRows) return true
    const values = { key: parent.key, ...bindRelease(release) }
    const [row] = await read(release, { removed: false }, (relation) =>
      lookups.run(
        () => byKey.exists(parent.resource, relation).execute(values),
        account,
        cancellation,
      ),
    )
    if (!row) throw new Error("A query for a record's existence returned no row")
    return row.exists
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
