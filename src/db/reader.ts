/**
 * Reads lists and records as they stood at a release.
 *
 * While that is the newest, the tables of what is current are read, which never touches the history.
 * Each such statement tells the release that it saw; where that is a newer one, because a load was
 * published in between, the same is read again with the history. So whatever is put together from
 * several statements belongs to one release. Facts of a release never change: totals, and the
 * positions at which pages end, are kept by release and need no expiry.
 */
import type { Readable } from "../resources/resource.ts"
import { type CacheSizes, cacheKey, createCache } from "./cache.ts"
import type { Pool } from "./pool.ts"
import { type Relation, releaseName } from "./relations.ts"
import { type Release, releaseKey } from "./releases.ts"
import { nullsOf, type Position, positionName } from "./seek.ts"
import { createStatements, type ListShape, parentName, type Row, type Scope } from "./statements.ts"

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

/** All take the release to read; every method may throw Unavailable. */
export interface Reader {
  /** One page; null where the list's parent does not exist. */
  page(
    list: List,
    place: { offset: number; limit: number },
    release: Release,
  ): Promise<{ total: number; records: Records } | null>
  /** How many records the list has; null where its parent does not exist. */
  total(list: List, release: Release): Promise<number | null>
  /** Every record of the list, `chunkSize` at a time; null where its parent does not exist. */
  chunks(list: List, chunkSize: number, release: Release): Promise<Export | null>
  /** One record by its key. */
  find(resource: Readable, key: string, release: Release): Promise<Record<string, unknown> | null>
}

export interface Export {
  total: number
  chunks: AsyncGenerator<Records, void, void>
}

export function createReader(pool: Pool, sizes: Pick<CacheSizes, "totals" | "positions">): Reader {
  const statements = createStatements(pool.db)
  const totals = createCache<number | "no parent">(sizes.totals, () => 16)
  const positions = createCache<Position>(sizes.positions, bytesOfPosition)
  let newestSeen = 0

  /**
   * What a statement gives at the release. Each tells the newest release that it saw, also when that
   * is an older one than was seen before, as after a restore; without rows, it is not known.
   */
  async function at<T extends { release: number }>(
    release: Release,
    removed: boolean,
    run: (relation: Relation) => Promise<T[]>,
  ): Promise<T[]> {
    const read = async (relation: Relation): Promise<T[]> => {
      const rows = await pool.run(() => run(relation))
      newestSeen = rows[0]?.release ?? newestSeen
      return rows
    }
    if (removed) return read("removed")
    if (release.id < newestSeen) return read("asOf")
    const rows = await read("current")
    const seen = rows[0]?.release ?? release.id
    return seen === release.id ? rows : read("asOf")
  }

  /** Rows from an offset, by the position where the page before ended if that is known. */
  async function readRows(list: List, offset: number, limit: number, release: Release) {
    const values = { ...bindingsOf(list), [releaseName]: release.id, limit, offset }
    const key = listKey(list, release)
    const start = offset === 0 ? undefined : positions.get(`${key} ${offset}`)
    const rows = await at(release, list.removed, (relation) =>
      start
        ? statements
            .rowsAfter(list, nullsOf(start), relation)
            .execute({ ...values, ...bindPosition(start) })
        : statements.rowsFrom(list, relation).execute(values),
    )
    const last = rows.at(-1)
    if (last) positions.set(`${key} ${offset + rows.length}`, positionOf(last))
    return rows
  }

  async function readTotal(list: List, release: Release): Promise<number | "no parent"> {
    const key = listKey(list, release)
    const kept = totals.get(key)
    if (kept !== undefined) return kept
    const { parent } = list
    const values = { ...bindingsOf(list), [releaseName]: release.id }
    const [[count], [existence]] = await Promise.all([
      at(release, list.removed, (relation) => statements.count(list, relation).execute(values)),
      parent
        ? at(release, false, (relation) =>
            statements.exists(parent.resource, relation).execute({ ...values, key: parent.key }),
          )
        : [{ exists: true }],
    ])
    if (!count || !existence) throw new Error("A count has no row")
    const total = existence.exists ? count.total : "no parent"
    totals.set(key, total)
    return total
  }

  async function page(
    list: List,
    { offset, limit }: { offset: number; limit: number },
    release: Release,
  ) {
    const [rows, total] = await Promise.all([
      readRows(list, offset, limit, release),
      readTotal(list, release),
    ])
    if (total === "no parent") return null
    // No rows where there should be some: they are gone from a newer release, which was seen.
    const sure = rows.length > 0 || offset >= total
    const found = sure ? rows : await superseded(list, offset, limit, release)
    return { total, records: found.map(({ record }) => record) }
  }

  /** The same rows, when it is known that the release is the newest no more. */
  function superseded(list: List, offset: number, limit: number, release: Release) {
    newestSeen = Math.max(newestSeen, release.id + 1)
    return readRows(list, offset, limit, release)
  }

  async function total(list: List, release: Release) {
    const counted = await readTotal(list, release)
    return counted === "no parent" ? null : counted
  }

  async function chunks(list: List, chunkSize: number, release: Release) {
    const first = await page(list, { offset: 0, limit: chunkSize }, release)
    if (!first) return null
    async function* read({ total, records }: { total: number; records: Records }) {
      let sent = 0
      for (let chunk = records; ; ) {
        sent += chunk.length
        yield chunk
        if (sent >= total) return
        const next = await page(list, { offset: sent, limit: chunkSize }, release)
        if (!next || next.records.length === 0) {
          throw new Error(`Release ${release.id} lost records while it was exported`)
        }
        chunk = next.records
      }
    }
    return { total: first.total, chunks: read(first) }
  }

  async function find(resource: Readable, key: string, release: Release) {
    const values = { key, [releaseName]: release.id }
    const run = (relation: Relation) => statements.find(resource, relation).execute(values)
    const [row] = await at(release, false, run)
    // A record that is not there may be gone from a newer release, which no row tells.
    const [found] = row ? [row] : await pool.run(() => run("asOf"))
    return found?.record ?? null
  }

  return { page, total, chunks, find }
}

/** Names a list as it stands at a release. */
const listKey = ({ identity }: List, release: Release): string =>
  cacheKey(`${releaseKey(release)} ${identity}`)

const bindingsOf = ({ bound, parent }: List): Record<string, unknown> => ({
  ...bound,
  ...(parent && { [parentName]: parent.key }),
})

const positionOf = ({ position }: Row): Position => Object.values(position)

const bindPosition = (position: Position): Record<string, unknown> =>
  Object.fromEntries(position.map((value, index) => [positionName(index), value]))

const bytesOfPosition = (position: Position): number =>
  position.reduce<number>((sum, value) => sum + 32 + 2 * String(value).length, 32)
