/**
 * Anchors: the positions of rows at equal distances in a list. A page deep in the list is read from
 * the last anchor before it, by skipping less than one distance of rows, instead of all rows from the
 * start. They are read by a scan of the list when a deep page is requested, as far as that page and in
 * a limited time; a deeper one continues from the last. Like everything at a release they never change.
 */
import { everyNth } from "./every-nth.ts"
import type { Reading } from "./reader.ts"
import type { ReadOptions } from "./reads.ts"
import { bindPosition, type Position } from "./seek.ts"
import { type List, listKey } from "./statements.ts"

/** Up to this offset, skipping the rows costs less than reading anchors. */
const shallowOffset = 5_000
const leastDistance = 1_000
/** Bounds the memory of a list's anchors, and the commands that read them. */
const mostAnchors = 1_000
/** A scan may take twice its budget, and must end before the pool gives up its connections. */
const mostOfTimeout = 1 / 3
const mostBudgetMs = 5_000

/** Where to begin reading: after a position, or else at the start, some rows further on. */
export interface Start {
  after?: Position
  skip: number
}

/** The positions of the rows whose numbers are multiples of the list's distance, as far as was read. */
type AnchorList = readonly Position[]

/**
 * Where to begin reading at an offset; undefined where nothing is nearer than the start of the list.
 * May throw Unavailable or ReleaseUnavailable.
 * @param total the length of the list
 */
type AnchorBefore = (
  list: List,
  offset: number,
  total: number,
  options: ReadOptions,
) => Promise<Start | undefined>

export const isDeep = (offset: number): boolean => offset > shallowOffset

export function createAnchors({ pools: { lists }, caches, read }: Reading): AnchorBefore {
  const budgetMs = Math.min(mostBudgetMs, lists.statementTimeoutMs * mostOfTimeout)

  /** Continues from the last cached anchor, up to a number of anchors or the end of the budget. */
  async function extend(
    list: List,
    cached: AnchorList,
    { distance, length }: { distance: number; length: number },
    options: ReadOptions,
  ): Promise<AnchorList> {
    const { release } = options
    const last = cached.at(-1)
    const steps = { n: distance, count: length - cached.length, budgetMs }
    const { positions } = await read(lists, {
      ...options,
      list,
      key: `anchors ${cached.length} ${length}`,
      statement: async ({ statements, relation, db, values }) => {
        const query = statements.positions(list, relation, last)
        const found = await everyNth(db, query, { ...values, ...bindPosition(last ?? []) }, steps)
        // A newer release, which no row shows, may have removed all rows: then there are no anchors either.
        const seen = found.length === 0 ? release.id : found[0]?.[0]
        return {
          release: typeof seen === "number" ? seen : null,
          positions: found.map(([, ...position]) => position),
        }
      },
    })
    const anchors = [...cached, ...positions]
    const key = listKey(list, release)
    if (anchors.length > (caches.anchors.get(key)?.length ?? 0)) caches.anchors.set(key, anchors)
    return anchors
  }

  return async (list, offset, total, options) => {
    const distance = Math.max(leastDistance, Math.ceil(total / mostAnchors))
    // Rows are numbered from 1, so the row at an offset of n comes right after row n.
    const needed = Math.floor(offset / distance)
    const cached = caches.anchors.get(listKey(list, options.release)) ?? []
    const isEnough = cached.length >= needed || !isDeep(offset)
    const length = Math.min(lengthFor(needed), Math.floor(total / distance))
    const anchors = isEnough ? cached : await extend(list, cached, { distance, length }, options)
    const number = Math.min(needed, anchors.length)
    const after = anchors[number - 1]
    return after && { after, skip: offset - number * distance }
  }
}

/** Up to twice what is needed: so a client that reads page after page causes few scans. */
const lengthFor = (needed: number): number => 2 ** Math.ceil(Math.log2(needed))
