/** Reads pages of lists at a release. */
import type { ResourceRecord } from "../resources/resource.ts"
import { createAnchors, isDeep, type Start } from "./anchors.ts"
import type { Reading } from "./reader-caches.ts"
import type { ReadOptions } from "./reads.ts"
import { bindPosition } from "./seek.ts"
import { isScanned, type List, listKey } from "./statements.ts"
import type { ReadTotal } from "./totals.ts"

export type Records = readonly ResourceRecord[]

interface PageBounds {
  offset: number
  limit: number
}

/**
 * Reads a page, which is shorter where its shapes take more than their limit; null if the list's parent does
 * not exist.
 * @throws Unavailable, ReleaseUnavailable
 */
export type ReadPage = (
  list: List,
  bounds: PageBounds,
  options: ReadOptions,
) => Promise<{ total: number; records: Records } | null>

/** Reads the first rows without the total, which may take longer. @throws Unavailable, ReleaseUnavailable */
export type ReadFirst = (list: List, limit: number, options: ReadOptions) => Promise<Records>

export function createListReader(
  reading: Reading,
  readTotal: ReadTotal,
): { page: ReadPage; first: ReadFirst } {
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
              .execute({ ...values, ...bindPosition(after ?? []), limit, offset: skip })
          : statements.rowsOfKeys(list, relation).execute({ ...values, keys, limit, offset: 0 }),
    })
    if (page.count > 0) caches.positions.set(`${id} ${offset + page.count}`, page.position)
    return page.records
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

  const page: ReadPage = async (list, bounds, options) => {
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
  }

  return {
    page,
    first: (list, limit, options) => readRows(list, { offset: 0, limit }, options, { skip: 0 }),
  }
}
