/**
 * Reads lists and records at a release.
 *
 * All statements of one response read the same release, even if a newer one is published in between
 * (see `relation-choice.ts`). The contents of a release never change: totals, and the positions at
 * which pages end, are cached by release without expiry, and concurrent requests for the same share
 * a query.
 */
import type { Readable } from "../../resources/resource.ts"
import type { CacheSizes } from "../cache.ts"
import { retryWhileUnavailable } from "../pool/retry.ts"
import type { List } from "./list.ts"
import {
  createListReader,
  type PageBounds,
  type ReaderPools,
  type ReadOptions,
  type Records,
} from "./list-reader.ts"
import { createRelationChoice } from "./relation-choice.ts"
import { ReleaseUnavailable } from "./releases.ts"
import { bindRelease, createStatements } from "./statements.ts"

/** Every method may throw Unavailable or ReleaseUnavailable. */
export interface Reader {
  /** One page; null where the list's parent does not exist. */
  page(
    list: List,
    bounds: PageBounds,
    options: ReadOptions,
  ): Promise<{ total: number; records: Records } | null>
  /** The number of records of the list; null where its parent does not exist. */
  total(list: List, options: ReadOptions): Promise<number | null>
  /**
   * Every record of the list, `chunkSize` at a time; null where its parent does not exist. After the
   * first chunk, it retries while the database is unavailable for some seconds.
   */
  chunks(list: List, chunkSize: number, options: ReadOptions): Promise<Export | null>
  /** One record by its key. */
  find(
    resource: Readable,
    key: string,
    options: ReadOptions,
  ): Promise<Record<string, unknown> | null>
}

export interface Export {
  total: number
  chunks: AsyncGenerator<Records, void, void>
}

export function createReader(
  pools: ReaderPools,
  sizes: Pick<CacheSizes, "totals" | "positions">,
): Reader {
  const { lookups } = pools
  const byKey = createStatements(lookups.db)
  const relations = createRelationChoice()
  const lists = createListReader(pools, relations, sizes)

  return {
    page: (list, bounds, options) => lists.page("pages", list, bounds, options),

    total: lists.total,

    chunks: async (list, chunkSize, options) => {
      const chunkFrom = (offset: number) =>
        lists.page("exports", list, { offset, limit: chunkSize }, options)
      const first = await chunkFrom(0)
      if (!first) return null
      const { total } = first
      async function* read(records: Records) {
        let sent = 0
        for (let chunk = records; ; ) {
          sent += chunk.length
          yield chunk
          if (sent >= total) return
          const next = await retryWhileUnavailable(() => chunkFrom(sent))
          if (!next) throw new ReleaseUnavailable(options.release)
          chunk = next.records
        }
      }
      return { total, chunks: read(first.records) }
    },

    find: async (resource, key, { release, account }) => {
      const values = { key, ...bindRelease(release) }
      const [row] = await relations.read(release, (relation) =>
        lookups.run(() => byKey.find(resource, relation).execute(values), account),
      )
      if (!row) throw new Error("A query for a record returned no row")
      return row.record[resource.key] === null ? null : row.record
    },
  }
}
