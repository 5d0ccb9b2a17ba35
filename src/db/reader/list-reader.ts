/** Reads pages and totals of lists at a release. */
import type { ResourceRecord } from "../../resources/resource.ts"
import { type Cache, type CacheSizes, createCache } from "../cache.ts"
import {
  type AnchorCache,
  createAnchorCache,
  createAnchors,
  isDeep,
  type Start,
} from "./anchors.ts"
import type { ReaderPools } from "./reader.ts"
import type { ReadFrom, ReadOptions, Reads } from "./reads.ts"
import { bindPosition, bytesOfPosition, nullsOf, type Position } from "./seek.ts"
import { bindingsOf, bindRelease, type List, listKey, type Page } from "./statements.ts"
import { createTotalCaches, createTotals, isScanned, type TotalCaches } from "./totals.ts"

export type Records = readonly ResourceRecord[]

export interface PageBounds {
  offset: number
  limit: number
}

/** The budgets of the caches. */
export type ListCacheSizes = Pick<CacheSizes, "totals" | "positions" | "anchors" | "keys">

/** What is cached by release. */
export interface ListCaches extends TotalCaches {
  /** At which pages end. */
  positions: Cache<Position>
  anchors: AnchorCache
}

export const createListCaches = (sizes: ListCacheSizes): ListCaches => ({
  ...createTotalCaches(sizes),
  positions: createCache<Position>(sizes.positions, bytesOfPosition),
  anchors: createAnchorCache(sizes),
})

/** Every method may throw Unavailable or ReleaseUnavailable. */
export interface ListReader {
  /** One page; null where the list's parent does not exist. */
  page(
    list: List,
    bounds: PageBounds,
    options: ReadOptions,
  ): Promise<{ total: number; records: Records } | null>
  /** The number of records; null where the list's parent does not exist. */
  total(list: List, options: ReadOptions): Promise<number | null>
}

export function createListReader(pools: ReaderPools, read: Reads, caches: ListCaches): ListReader {
  const { positions } = caches
  const totals = createTotals(pools, read, caches)
  const anchors = createAnchors(pools, read, caches.anchors)

  /** Rows from an offset: by their keys where those are cached, or else from where to begin. */
  async function readRows(
    list: List,
    { offset, limit }: PageBounds,
    options: ReadOptions,
    start: Start | undefined,
  ): Promise<Records> {
    const { release } = options
    const id = listKey(list, release)
    const keys = totals
      .keys(list, release)
      ?.slice(offset, offset + limit)
      .join(" ")
    const values = { ...bindingsOf(list), ...bindRelease(release), limit }

    const statement = ({ statements, relation }: ReadFrom): Promise<Page> => {
      if (keys !== undefined) {
        return statements.rowsOfKeys(list, relation).execute({ ...values, keys, offset: 0 })
      }
      if (!start) return statements.rowsFrom(list, relation).execute({ ...values, offset })
      const { after, skip } = start
      return statements
        .rowsAfter(list, nullsOf(after), relation)
        .execute({ ...values, ...bindPosition(after), offset: skip })
    }

    const key = `rows ${offset} ${limit} ${id}`
    const page = await read(pools.lists, { ...options, removed: list.removed, key, statement })
    if (page.count > 0) positions.set(`${id} ${offset + page.count}`, page.position)
    return page.records
  }

  /** @param total where it is known, as that of a list must be before a deep page is read */
  async function startOf(
    list: List,
    { offset }: PageBounds,
    options: ReadOptions,
    total: number | undefined,
  ): Promise<Start | undefined> {
    if (offset === 0) return undefined
    const previousEnd = positions.get(`${listKey(list, options.release)} ${offset}`)
    if (previousEnd) return { after: previousEnd, skip: 0 }
    if (total === undefined) return undefined
    return anchors.startAt(list, offset, total, options)
  }

  return {
    page: async (list, bounds, options) => {
      const isTotalFirst = isDeep(bounds.offset) || isScanned(list)
      const known = isTotalFirst
        ? await totals.read(list, options)
        : totals.cached(list, options.release)
      if (known === "no parent") return null
      if (known !== undefined && bounds.offset >= known) return { total: known, records: [] }
      const start = await startOf(list, bounds, options, known)
      const [total, records] = await Promise.all([
        known ?? totals.read(list, options),
        readRows(list, bounds, options, start),
      ])
      if (total === "no parent") return null
      return { total, records }
    },

    total: async (list, options) => {
      const total = await totals.read(list, options)
      return total === "no parent" ? null : total
    },
  }
}
