/**
 * Runs statements at a release. For the newest release they read the current tables without the history. Each
 * statement returns the newest release that its snapshot saw. If a load has published a newer one meanwhile,
 * the statement runs once more with the history. Reads reject another release of the same number, as in a
 * restored database.
 */

import { type CacheSizes, createCache } from "../db/cache.ts"
import type { Database, ReadPool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import type { Relation } from "./relations.ts"
import { ReleaseUnavailable, releaseKey, type SeenReleases } from "./releases.ts"
import { bytesOfPosition, type Position } from "./seek.ts"
import {
  type At,
  bindingsOf,
  bindRelease,
  createStatements,
  type List,
  listKey,
  type Statements,
} from "./statements.ts"

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"records" | "lists" | "exports", ReadPool>>

/** Shared by the parts of the reader. */
export interface Reading {
  pools: ReaderPools
  caches: ReturnType<typeof createCaches>
  /** @throws Unavailable, ReleaseUnavailable */
  read: ReturnType<typeof createReads>
}

/** A value and the number of records that have it. */
export type ValueCount = {
  /** As its records have it: of several spellings the most frequent; null where it is unknown. */
  value: string | null
  count: number
}

/** Counts in their order. A list may have tens of thousands of values, and a page shows few of them. */
export interface Counts extends Pick<readonly ValueCount[], "length" | "slice"> {
  /** Their memory. */
  bytes: number
}

/** The caches by release. */
export const createCaches = (sizes: CacheSizes) => ({
  totals: createCache<number>(sizes.totals, () => 16),
  /** Of the rows of lists, separated by spaces. */
  keys: createCache<string>(sizes.keys, ({ length }) => 2 * length),
  /** The positions of the ends of pages, and positions at equal distances, by list and offset. */
  positions: createCache<Position>(sizes.positions, bytesOfPosition),
  /** Null for too many values. */
  facets: createCache<{ counts: Counts | null }>(sizes.facets, ({ counts }) => counts?.bytes ?? 0),
})

/** The release to read, and the account whose turns the statements take. */
export interface ReadOptions extends At {
  account: AccountId
}

/** The input of a statement. */
interface ReadFrom {
  relation: Relation
  statements: Statements
  db: Database
  /** Binds the release and the values of the list. */
  values: Record<string, unknown>
}

interface Read<T> extends ReadOptions {
  /** The list to read, if it is one. */
  list?: List
  /** Equal for equal statements on the list at the release; null for an unshared statement. */
  key: string | null
  statement: (from: ReadFrom) => Promise<T>
}

/** @param onMissing called if the requested release is not there */
export function createReads(onMissing: () => void) {
  const statementsOf = new Map<Database, Statements>()
  /** After a restore of the database, it may be an older one than before. */
  let newestSeen = 0

  function statementsFor(db: Database): Statements {
    const found = statementsOf.get(db) ?? createStatements(db)
    statementsOf.set(db, found)
    return found
  }

  async function readFrom<T extends SeenReleases>(
    pool: ReadPool,
    relation: Relation,
    { account, list, key, statement, ...at }: Read<T>,
  ): Promise<T> {
    const { release } = at
    const values = { ...(list && bindingsOf(list, at)), ...bindRelease(release) }
    const run = async (db: Database): Promise<T> => {
      const result = await statement({ relation, statements: statementsFor(db), db, values })
      if (result.release === null) throw new ReleaseUnavailable(release)
      return result
    }
    try {
      const result = await (key === null
        ? pool.runAlone(account, run)
        : pool.run(
            account,
            `${relation} ${key} ${list ? listKey(list, at) : releaseKey(release)}`,
            run,
          ))
      newestSeen = result.release ?? newestSeen
      return result
    } catch (error) {
      if (error instanceof ReleaseUnavailable) onMissing()
      throw error
    }
  }

  return async <T extends SeenReleases>(pool: ReadPool, read: Read<T>): Promise<T> => {
    // Removed records have a relation of their own.
    if (read.list?.since === "removed") return readFrom(pool, "removed", read)
    if (read.release.id < newestSeen) return readFrom(pool, "asOf", read)
    const result = await readFrom(pool, "current", read)
    return result.release === read.release.id ? result : readFrom(pool, "asOf", read)
  }
}
