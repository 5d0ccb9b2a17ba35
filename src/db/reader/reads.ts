/**
 * Runs statements at a release. While that is the newest release, the current tables are read, without the
 * history. Each statement returns the newest release that its snapshot saw; where that is a newer one,
 * because a load was published in between, the statement is run once more with the history. Rows of another
 * release of the same number, in a database that was restored, are refused.
 */

import type { Database, ReadPool } from "../pool/pool.ts"
import type { AccountId } from "../pool/turns.ts"
import type { Relation } from "./relations.ts"
import { type Release, ReleaseUnavailable, releaseKey } from "./releases.ts"
import {
  bindingsOf,
  bindRelease,
  createStatements,
  type List,
  listKey,
  type SeenReleases,
  type Statements,
} from "./statements.ts"

/** The release to read, and the account that the statements are run for. */
export interface ReadOptions {
  release: Release
  account: AccountId
}

/** What a statement reads, and with what. */
export interface ReadFrom {
  relation: Relation
  statements: Statements
  db: Database
  /** Binds the release, and what the list binds. */
  values: Record<string, unknown>
}

export interface Read<T> extends ReadOptions {
  /** The list that is read, if it is one. */
  list?: List
  /** Equal for equal statements on the list at the release; null for one that is not shared. */
  key: string | null
  statement: (from: ReadFrom) => Promise<T>
}

/** @throws Unavailable, ReleaseUnavailable */
export type Reads = <T extends SeenReleases>(pool: ReadPool, read: Read<T>) => Promise<T>

/**
 * @param onSeen called with what each statement saw: the newest release, or null if the requested one is not there
 */
export function createReads(onSeen: (newest: number | null) => void): Reads {
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
    { release, account, list, key, statement }: Read<T>,
  ): Promise<T> {
    const values = { ...(list && bindingsOf(list)), ...bindRelease(release) }
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
            `${relation} ${key} ${list ? listKey(list, release) : releaseKey(release)}`,
            run,
          ))
      newestSeen = result.release ?? newestSeen
      onSeen(result.release)
      return result
    } catch (error) {
      if (error instanceof ReleaseUnavailable) onSeen(null)
      throw error
    }
  }

  return async (pool, read) => {
    // What was removed since a release is read from a relation of its own.
    if (read.list?.removed) return readFrom(pool, "removed", read)
    if (read.release.id < newestSeen) return readFrom(pool, "asOf", read)
    const result = await readFrom(pool, "current", read)
    return result.release === read.release.id ? result : readFrom(pool, "asOf", read)
  }
}
