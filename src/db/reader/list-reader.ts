/** Reads pages and totals of lists at a release. */
import { type Cache, type CacheSizes, createCache } from "../cache.ts"
import type { AccountId } from "../pool/account-id.ts"
import type { Cancellation, Pool } from "../pool/pool.ts"
import type { Database } from "../pool/replaceable-client.ts"
import { createSharedReads, type SharedReads } from "../pool/shared-reads.ts"
import {
  type AnchorCache,
  createAnchorCache,
  createAnchors,
  isDeep,
  type Start,
} from "./anchors.ts"
import { bindingsOf, type List, listKey } from "./list.ts"
import { type RelationChoice, readList } from "./relation-choice.ts"
import type { Relation } from "./relations.ts"
import { type Release, ReleaseUnavailable } from "./releases.ts"
import { bindPosition, bytesOfPosition, nullsOf, type Position } from "./seek.ts"
import {
  bindRelease,
  type Row,
  type SeenReleases,
  type Statements,
  type StatementsOn,
} from "./statements.ts"
import { createTotalCaches, createTotals, isScanned, type TotalCaches } from "./totals.ts"

export type Records = Record<string, unknown>[]

/** The release to read, and the account that the queries are run for. */
export interface ReadOptions {
  release: Release
  account: AccountId
  /** Of what waits for a connection. */
  cancellation?: Cancellation
}

export interface PageBounds {
  offset: number
  limit: number
}

/** The result of a statement on the relation that has the list at the release. */
export type ReadList = <T extends SeenReleases>(
  release: Release,
  list: Pick<List, "removed">,
  run: (relation: Relation) => Promise<T[]>,
) => Promise<T[]>

/** The statements of a pool, and their running with what runs already. */
export interface PoolStatements {
  db: Database
  statements: Statements
  share: SharedReads
  statementTimeoutMs: number
}

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"lookups" | "pages" | "counts" | "exports", Pool>>

/** The budgets of the caches. */
export type ListCacheSizes = Pick<CacheSizes, "totals" | "positions" | "anchors" | "keys">

/** What is cached by release, which is the same everywhere. */
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

export function createListReader(
  pools: ReaderPools,
  relations: RelationChoice,
  caches: ListCaches,
  statementsOn: StatementsOn,
): ListReader {
  const counts = statementsOf(pools.counts, statementsOn)
  const { statements, share } = statementsOf(pools.pages, statementsOn)
  const { positions } = caches

  const at: ReadList = (release, list, run) => readList(relations, release, list, run)
  const totals = createTotals(counts, pools.lookups, at, caches)
  const anchors = createAnchors(counts, at, caches.anchors)

  /** Rows from an offset: by their keys where those are cached, or else from where to begin. */
  async function readRows(
    list: List,
    { offset, limit }: PageBounds,
    { release, account, cancellation }: ReadOptions,
    start: Start | undefined,
  ) {
    const values = { ...bindingsOf(list), ...bindRelease(release), limit }
    const key = listKey(list, release)
    const keys = totals.keys(list, release)
    const rows = await at(release, list, (relation) =>
      share(
        `rows ${relation} ${offset} ${limit} ${key}`,
        account,
        () => {
          if (keys) {
            const ofPage = { keys: keys.slice(offset, offset + limit).join(" "), offset: 0 }
            return statements.rowsOfKeys(list, relation).execute({ ...values, ...ofPage })
          }
          if (start) {
            const fromStart = { ...bindPosition(start.after), offset: start.skip }
            const statement = statements.rowsAfter(list, nullsOf(start.after), relation)
            return statement.execute({ ...values, ...fromStart })
          }
          return statements.rowsFrom(list, relation).execute({ ...values, offset })
        },
        cancellation,
      ),
    )
    const last = rows.at(-1)
    if (last) positions.set(`${key} ${offset + rows.length}`, last.position)
    return rows
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
      const [total, rows] = await together((cancellation) => [
        known ?? totals.read(list, { ...options, cancellation }),
        readRows(list, bounds, { ...options, cancellation }, start),
      ])
      if (total === "no parent") return null
      const expected = Math.min(bounds.limit, Math.max(0, total - bounds.offset))
      if (rows.length === expected) return { total, records: recordsOf(rows) }
      // Rows are missing: a newer release, which no row shows, has removed them.
      relations.recordNewer(options.release)
      const found = await readRows(list, bounds, options, start)
      if (found.length !== expected) throw new ReleaseUnavailable(options.release)
      return { total, records: recordsOf(found) }
    },

    total: async (list, options) => {
      const total = await totals.read(list, options)
      return total === "no parent" ? null : total
    },
  }
}

/** Reads two things at once: where one of them is refused, the other is not read in vain. */
async function together<A, B>(
  read: (cancellation: AbortController) => [A | Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const cancellation = new AbortController()
  try {
    return await Promise.all(read(cancellation))
  } catch (error) {
    cancellation.abort(error)
    throw error
  }
}

const statementsOf = (
  { db, run, statementTimeoutMs }: Pool,
  statementsOn: StatementsOn,
): PoolStatements => ({
  db,
  statementTimeoutMs,
  statements: statementsOn(db),
  share: createSharedReads(run),
})

const recordsOf = (rows: readonly Row[]): Records => rows.map(({ record }) => record)
