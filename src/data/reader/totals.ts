/**
 * Reads the totals of lists. For a list that needs a scan and has few rows, the same scan reads their keys, so
 * that its pages need no other.
 */
import { arrayLiteral } from "../../system/text/array-literal.ts"
import type { Reading } from "./reader-caches.ts"
import type { ReadOptions } from "./reads.ts"
import { type List, listKey } from "./statements.ts"

/** Returns the number of records; null if the list's parent does not exist. @throws Unavailable, ReleaseUnavailable */
export type ReadTotal = (list: List, options: ReadOptions) => Promise<number | null>

export function createTotals({ pools, caches, read }: Reading): ReadTotal {
  async function count(list: List, options: ReadOptions): Promise<number> {
    const { total, keys } = await read(pools.lists, {
      ...options,
      list,
      key: "count",
      statement: ({ statements, relation, values }) =>
        statements.count(list, relation).execute(values),
    })
    if (keys !== null) caches.keys.set(listKey(list, options), keys)
    return total
  }

  /** A removed record exists while it has versions. */
  async function parentExists(
    { resource: shown, parent }: List,
    options: ReadOptions,
  ): Promise<boolean> {
    if (!parent || shown.pastVersions) return true
    const { resource, key } = parent
    const found = await read(pools.records, {
      ...options,
      key: `exists ${resource.name} ${key}`,
      statement: ({ statements, relation, values }) =>
        statements
          .find(resource, "usual", relation)
          .execute({ ...values, keys: arrayLiteral([key]) }),
    })
    return found.count > 0
  }

  return async (list, options) => {
    const key = listKey(list, options)
    const cached = caches.totals.get(key)
    if (cached !== undefined) return cached
    const [total, exists] = await Promise.all([count(list, options), parentExists(list, options)])
    if (!exists || (list.resource.pastVersions && total === 0)) return null
    caches.totals.set(key, total)
    return total
  }
}
