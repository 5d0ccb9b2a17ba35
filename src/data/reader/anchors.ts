/**
 * Anchors: the positions at equal distances in a list. A page deep in the list is read from the last
 * anchor before it, by skipping less than one distance of rows, instead of all rows from the start. An
 * anchor is read once a page needs it, by skipping the rows from the nearest cached one before it, of which
 * only the columns of the order are read. It is cached like the position at which a page ends.
 */
import type { Reading, ReadOptions } from "./reads.ts"
import { bindPosition, type Position } from "./seek.ts"
import { type List, listKey } from "./statements.ts"

/** Up to this offset, skipping the rows costs less than reading an anchor. */
const shallowOffset = 5_000
const leastDistance = 1_000
/** Bounds the memory of a list's anchors, and how many are looked for. */
const mostAnchors = 1_000

/** Where to begin reading: after a position, or else at the start, some rows further on. */
export interface Start {
  after?: Position | undefined
  skip: number
}

export const isDeep = (offset: number): boolean => offset > shallowOffset

/** Returns a function that finds where to begin reading at an offset. @throws Unavailable, ReleaseUnavailable */
export function createAnchors({ pools, caches: { positions }, read }: Reading) {
  return async (
    list: List,
    offset: number,
    total: number,
    options: ReadOptions,
  ): Promise<Start> => {
    const id = listKey(list, options)
    const distance = Math.max(leastDistance, Math.ceil(total / mostAnchors))
    const needed = offset - (offset % distance)
    let from = needed
    while (from > 0 && !positions.has(`${id} ${from}`)) from -= distance
    const after = positions.get(`${id} ${from}`)
    const nearest = { after, skip: offset - from }
    if (from === needed || !isDeep(offset)) return nearest

    const { count, position } = await read(pools.lists, {
      ...options,
      list,
      key: `anchor ${needed}`,
      statement: ({ statements, relation, values }) =>
        // Rows are numbered from 1, so the row at an offset of n comes right after row n.
        statements.positions(list, relation, after).execute({
          ...values,
          ...bindPosition(after),
          limit: 1,
          offset: needed - from - 1,
        }),
    })
    // A newer release may have removed it.
    if (count === 0) return nearest
    positions.set(`${id} ${needed}`, position)
    return { after: position, skip: offset - needed }
  }
}
