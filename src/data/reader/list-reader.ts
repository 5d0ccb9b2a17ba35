/**
 * Reads pages of lists, and their totals, at a release. For a list that needs a scan and has few rows, the scan of
 * the total reads the keys of the rows too, so that pages need no other.
 */
import { arrayLiteral } from "../../system/text/array-literal.ts"
import type { ResourceRecord } from "../resources/resource.ts"
import { createAnchors, isDeep, type Start } from "./anchors.ts"
import type { Reading, ReadOptions } from "./reads.ts"
import { bindPosition } from "./seek.ts"
import { isScanned, type List, listKey } from "./statements.ts"

type Records = readonly ResourceRecord[]

export interface PageBounds {
  offset: number
  limit: number
}

/** Each method throws Unavailable and ReleaseUnavailable. */
export function createListReader(reading: Reading) {
  const { pools, caches, read } = reading
  const startAt = createAnchors(reading)

  /** Reads the rows from an offset: by their keys if those are cached, otherwise from the start. */
  async function readRows(
    list: List,
    { offset, limit }: PageBounds,
    options: ReadOptions,
    { after, skip }: Start,
  ): Promise<Records> {
    const id = listKey(list, options)
    const keys = caches.keys
      .get(id)
      ?.split(" ")
      .slice(offset, offset + limit)
      .join(" ")
    const page = await read(pools.lists, {
      ...options,
      list,
      key: `rows of ${list.fieldSet} ${offset} ${limit}`,
      statement: ({ statements, relation, values }) =>
        keys === undefined
          ? statements
              .page(list, relation, after)
              .execute({ ...values, ...bindPosition(after), limit, offset: skip })
          : statements.rowsOfKeys(list, relation).execute({ ...values, keys, limit, offset: 0 }),
    })
    if (page.count > 0) caches.positions.set(`${id} ${offset + page.count}`, page.position)
    return page.records
  }

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

  async function readTotal(list: List, options: ReadOptions): Promise<number | null> {
    const key = listKey(list, options)
    const cached = caches.totals.get(key)
    if (cached !== undefined) return cached
    const [total, exists] = await Promise.all([count(list, options), parentExists(list, options)])
    if (!exists || (list.resource.pastVersions && total === 0)) return null
    caches.totals.set(key, total)
    return total
  }

  /** @param total of the list, if known; required for a deep page */
  async function startOf(
    list: List,
    { offset }: PageBounds,
    options: ReadOptions,
    total: number | undefined,
  ): Promise<Start> {
    if (offset === 0) return { skip: 0 }
    const previousEnd = caches.positions.get(`${listKey(list, options)} ${offset}`)
    if (previousEnd) return { after: previousEnd, skip: 0 }
    return total === undefined ? { skip: offset } : startAt(list, offset, total, options)
  }

  return {
    /** Returns the number of records; null if the list's parent does not exist. */
    total: readTotal,

    /** Reads a page, which is shorter where its shapes take more than their limit; null without its parent. */
    page: async (list: List, bounds: PageBounds, options: ReadOptions) => {
      // Reading both at once would scan twice.
      const isTotalFirst = isDeep(bounds.offset) || isScanned(list)
      const known = isTotalFirst
        ? await readTotal(list, options)
        : caches.totals.get(listKey(list, options))
      if (known === null) return null
      if (known !== undefined && bounds.offset >= known) return { total: known, records: [] }
      const start = await startOf(list, bounds, options, known)
      const [total, records] = await Promise.all([
        known ?? readTotal(list, options),
        readRows(list, bounds, options, start),
      ])
      return total === null ? null : { total, records }
    },

    /** Reads the first rows without the total, which may take longer. */
    first: (list: List, limit: number, options: ReadOptions) =>
      readRows(list, { offset: 0, limit }, options, { skip: 0 }),
  }
}
