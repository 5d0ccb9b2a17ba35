/** Reads pages and totals of lists at a release. */
import { type CacheSizes, createCache } from "../cache.ts"
import type { AccountId } from "../pool/account-id.ts"
import type { Pool } from "../pool/pool.ts"
import { createSharedReads, type SharedReads } from "../pool/shared-reads.ts"
import { bindingsOf, type List, listKey } from "./list.ts"
import { ensureAvailable, type RelationChoice } from "./relation-choice.ts"
import type { Relation } from "./relations.ts"
import { type Release, ReleaseUnavailable } from "./releases.ts"
import { nullsOf, type Position, positionName } from "./seek.ts"
import {
  bindRelease,
  createStatements,
  type Row,
  type SeenReleases,
  type Statements,
} from "./statements.ts"

export type Records = Record<string, unknown>[]

/** The release to read, and the account that the queries are run for. */
export interface ReadOptions {
  release: Release
  account: AccountId
}

export interface PageBounds {
  offset: number
  limit: number
}

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"lookups" | "pages" | "counts" | "exports", Pool>>

/** Every method may throw Unavailable or ReleaseUnavailable. */
export interface ListReader {
  /** One page, read through one of the pools; null where the list's parent does not exist. */
  page(
    pool: "pages" | "exports",
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
  sizes: Pick<CacheSizes, "totals" | "positions">,
): ListReader {
  const { lookups } = pools
  const byKey = createStatements(lookups.db)
  const counts = statementsOf(pools.counts)
  const rowSources = { pages: statementsOf(pools.pages), exports: statementsOf(pools.exports) }
  const totals = createCache<number | "no parent">(sizes.totals, () => 16)
  const positions = createCache<Position>(sizes.positions, bytesOfPosition)

  /** The result of a statement on the list at the release. */
  const at = async <T extends SeenReleases>(
    release: Release,
    { removed }: Pick<List, "removed">,
    run: (relation: Relation) => Promise<T[]>,
  ): Promise<T[]> =>
    removed ? ensureAvailable(release, await run("removed")) : relations.read(release, run)

  /** Rows from an offset, by the position at which the previous page ended where that is cached. */
  async function readRows(
    { statements, share }: PoolStatements,
    list: List,
    { offset, limit }: PageBounds,
    { release, account }: ReadOptions,
  ) {
    const values = { ...bindingsOf(list), ...bindRelease(release), limit, offset }
    const key = listKey(list, release)
    const start = offset === 0 ? undefined : positions.get(`${key} ${offset}`)
    const rows = await at(release, list, (relation) =>
      share(`rows ${relation} ${offset} ${limit} ${key}`, account, () =>
        start
          ? statements
              .rowsAfter(list, nullsOf(start), relation)
              .execute({ ...values, ...bindPosition(start) })
          : statements.rowsFrom(list, relation).execute(values),
      ),
    )
    const last = rows.at(-1)
    if (last) positions.set(`${key} ${offset + rows.length}`, positionOf(last))
    return rows
  }

  async function readTotal(
    list: List,
    { release, account }: ReadOptions,
  ): Promise<number | "no parent"> {
    const key = listKey(list, release)
    const cached = totals.get(key)
    if (cached !== undefined) return cached
    const values = { ...bindingsOf(list), ...bindRelease(release) }
    const [[count], exists] = await Promise.all([
      at(release, list, (relation) =>
        counts.share(`count ${relation} ${key}`, account, () =>
          counts.statements.count(list, relation).execute(values),
        ),
      ),
      parentExists(list, { release, account }),
    ])
    if (!count) throw new Error("A count returned no row")
    const total = exists ? count.total : "no parent"
    totals.set(key, total)
    return total
  }

  async function parentExists({ parent }: List, { release, account }: ReadOptions) {
    if (!parent) return true
    const values = { key: parent.key, ...bindRelease(release) }
    const [row] = await relations.read(release, (relation) =>
      lookups.run(() => byKey.exists(parent.resource, relation).execute(values), account),
    )
    if (!row) throw new Error("A query for a record's existence returned no row")
    return row.exists
  }

  return {
    page: async (pool, list, bounds, options) => {
      const source = rowSources[pool]
      const cachedTotal = totals.get(listKey(list, options.release))
      if (cachedTotal === "no parent") return null
      if (cachedTotal !== undefined && bounds.offset >= cachedTotal) {
        return { total: cachedTotal, records: [] }
      }
      const [rows, total] = await Promise.all([
        readRows(source, list, bounds, options),
        cachedTotal ?? readTotal(list, options),
      ])
      if (total === "no parent") return null
      const expected = Math.min(bounds.limit, Math.max(0, total - bounds.offset))
      if (rows.length === expected) return { total, records: recordsOf(rows) }
      // Rows are missing: a newer release, which no row shows, has removed them.
      relations.recordNewer(options.release)
      const found = await readRows(source, list, bounds, options)
      if (found.length !== expected) throw new ReleaseUnavailable(options.release)
      return { total, records: recordsOf(found) }
    },

    total: async (list, options) => {
      const total = await readTotal(list, options)
      return total === "no parent" ? null : total
    },
  }
}

interface PoolStatements {
  statements: Statements
  share: SharedReads
}

const statementsOf = ({ db, run }: Pool): PoolStatements => ({
  statements: createStatements(db),
  share: createSharedReads(run),
})

const recordsOf = (rows: readonly Row[]): Records => rows.map(({ record }) => record)

const positionOf = ({ position }: Row): Position => Object.values(position)

const bindPosition = (position: Position): Record<string, unknown> =>
  Object.fromEntries(position.map((value, index) => [positionName(index), value]))

const bytesOfPosition = (position: Position): number =>
  position.reduce<number>((sum, value) => sum + 32 + 2 * String(value).length, 32)
