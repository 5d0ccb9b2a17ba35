/**
 * Reads lists and records as they stood at a release.
 *
 * Whatever is put together from several statements belongs to that release, also while a newer one is
 * published (see `relation-choice.ts`). Facts of a release never change: totals, and the positions at
 * which pages end, are kept by release and need no expiry, and what several ask at once is read once.
 */
import type { Readable } from "../../resources/resource.ts"
import { digest } from "../../text/digest.ts"
import { type CacheSizes, createCache } from "../cache.ts"
import type { Account } from "../pool/fair-queue.ts"
import type { Pool } from "../pool/pool.ts"
import { retryWhileUnavailable } from "../pool/retry.ts"
import { createSharedReads, type SharedReads } from "../pool/shared-reads.ts"
import { createRelationChoice } from "./relation-choice.ts"
import { type Relation, releaseName } from "./relations.ts"
import { type Release, releaseKey } from "./releases.ts"
import { nullsOf, type Position, positionName } from "./seek.ts"
import {
  createStatements,
  type ListShape,
  parentName,
  type Row,
  type Scope,
  type Statements,
} from "./statements.ts"

/** A list as a caller asked for it. */
export interface List extends ListShape {
  /** Values that the filters bind, by name; and the releases that `updated` and `removed` need. */
  bound: Readonly<Record<string, unknown>>
  /** The record that the list belongs to, by key; the list exists only where it does. */
  parent?: { resource: Readable; scope: Scope; key: string } | undefined
  /** Names the list among all lists: equal for those that have the same rows in the same order. */
  identity: string
}

export type Records = Record<string, unknown>[]

/** Which release to read, and the account whose turns at the database that takes. */
export interface ReadOptions {
  release: Release
  account: Account
}

/** Every method may throw Unavailable. */
export interface Reader {
  /** One page; null where the list's parent does not exist. */
  page(
    list: List,
    place: { offset: number; limit: number },
    options: ReadOptions,
  ): Promise<{ total: number; records: Records } | null>
  /** How many records the list has; null where its parent does not exist. */
  total(list: List, options: ReadOptions): Promise<number | null>
  /**
   * Every record of the list, `chunkSize` at a time; null where its parent does not exist. Once it has
   * begun, it outlasts a database that is out of reach for some seconds.
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

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"lookups" | "pages" | "counts" | "exports", Pool>>

export function createReader(
  pools: ReaderPools,
  sizes: Pick<CacheSizes, "totals" | "positions">,
): Reader {
  const { lookups } = pools
  const byKey = createStatements(lookups.db)
  const pages = statementsOf(pools.pages)
  const counts = statementsOf(pools.counts)
  const exports = statementsOf(pools.exports)
  const totals = createCache<number | "no parent">(sizes.totals, () => 16)
  const positions = createCache<Position>(sizes.positions, bytesOfPosition)

  const relations = createRelationChoice()

  /** What a statement of the list gives at the release. */
  const at = <T extends { release: number }>(
    release: Release,
    { removed }: Pick<List, "removed">,
    run: (relation: Relation) => Promise<T[]>,
  ): Promise<T[]> => (removed ? run("removed") : relations.read(release, run))

  /** Rows from an offset, by the position where the page before ended if that is known. */
  async function readRows(
    from: PoolStatements,
    list: List,
    { offset, limit }: { offset: number; limit: number },
    { release, account }: ReadOptions,
  ) {
    const values = { ...bindingsOf(list), [releaseName]: release.id, limit, offset }
    const key = listKey(list, release)
    const start = offset === 0 ? undefined : positions.get(`${key} ${offset}`)
    const rows = await at(release, list, (relation) =>
      from.share(`rows ${relation} ${offset} ${limit} ${key}`, account, () =>
        start
          ? from.statements
              .rowsAfter(list, nullsOf(start), relation)
              .execute({ ...values, ...bindPosition(start) })
          : from.statements.rowsFrom(list, relation).execute(values),
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
    const kept = totals.get(key)
    if (kept !== undefined) return kept
    const values = { ...bindingsOf(list), [releaseName]: release.id }
    const [[count], exists] = await Promise.all([
      at(release, list, (relation) =>
        counts.share(`count ${relation} ${key}`, account, () =>
          counts.statements.count(list, relation).execute(values),
        ),
      ),
      parentExists(list, { release, account }),
    ])
    if (!count) throw new Error("A count has no row")
    const total = exists ? count.total : "no parent"
    totals.set(key, total)
    return total
  }

  async function parentExists({ parent }: List, { release, account }: ReadOptions) {
    if (!parent) return true
    const values = { key: parent.key, [releaseName]: release.id }
    const [row] = await relations.read(release, (relation) =>
      lookups.run(() => byKey.exists(parent.resource, relation).execute(values), account),
    )
    if (!row) throw new Error("A record's existence has no row")
    return row.exists
  }

  async function readPage(
    from: PoolStatements,
    list: List,
    place: { offset: number; limit: number },
    options: ReadOptions,
  ) {
    const known = totals.get(listKey(list, options.release))
    if (known === "no parent") return null
    if (known !== undefined && place.offset >= known) return { total: known, records: [] }
    const [rows, total] = await Promise.all([
      readRows(from, list, place, options),
      known ?? readTotal(list, options),
    ])
    if (total === "no parent") return null
    // No rows where there should be some: they are gone from a newer release, which was seen.
    const isSure = rows.length > 0 || place.offset >= total
    if (!isSure) relations.recordNewer(options.release)
    const found = isSure ? rows : await readRows(from, list, place, options)
    return { total, records: found.map(({ record }) => record) }
  }

  return {
    page: (list, place, options) => readPage(pages, list, place, options),

    total: async (list, options) => {
      const counted = await readTotal(list, options)
      return counted === "no parent" ? null : counted
    },

    chunks: async (list, chunkSize, options) => {
      const chunkFrom = (offset: number) =>
        readPage(exports, list, { offset, limit: chunkSize }, options)
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
          if (!next || next.records.length === 0) {
            throw new Error(`Release ${options.release.id} lost records while it was exported`)
          }
          chunk = next.records
        }
      }
      return { total, chunks: read(first.records) }
    },

    find: async (resource, key, { release, account }) => {
      const values = { key, [releaseName]: release.id }
      const run = (relation: Relation) =>
        lookups.run(() => byKey.find(resource, relation).execute(values), account)
      const [row] = await relations.read(release, run)
      // A record that is not there may be gone from a newer release, which no row tells.
      const [found] = row ? [row] : await run("asOf")
      return found?.record ?? null
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

/** Names a list as it stands at a release. */
const listKey = ({ identity }: List, release: Release): string =>
  digest(`${releaseKey(release)} ${identity}`)

const bindingsOf = ({ bound, parent }: List): Record<string, unknown> => ({
  ...bound,
  ...(parent && { [parentName]: parent.key }),
})

const positionOf = ({ position }: Row): Position => Object.values(position)

const bindPosition = (position: Position): Record<string, unknown> =>
  Object.fromEntries(position.map((value, index) => [positionName(index), value]))

const bytesOfPosition = (position: Position): number =>
  position.reduce<number>((sum, value) => sum + 32 + 2 * String(value).length, 32)
