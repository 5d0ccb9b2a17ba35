/**
 * Reads lists and records, each as one release has them.
 *
 * A page needs two facts, its rows and the total, and a per-company list a third, that the company
 * exists. Each statement tells the release that it saw; where they differ, a load was published in
 * between and all are read again. Facts of a release never change, so totals and the positions at
 * which pages end are kept by release and need no expiry.
 */
import type { Resource } from "../resources/resource.ts"
import { LruMap } from "./lru-map.ts"
import type { Pool } from "./pool.ts"
import type { Release, Releases } from "./releases.ts"
import { nullsOf, type Position, positionName } from "./seek.ts"
import { createStatements, type ListShape, parentName, type Row, type Scope } from "./statements.ts"

/** A list as a caller asked for it. */
export interface List extends ListShape {
  /** Values that the filters bind, by name. */
  bound: Readonly<Record<string, unknown>>
  /** The record that the list belongs to, by key; the list exists only where it does. */
  parent?: { resource: Resource; scope: Scope; key: string } | undefined
  /** Names the list among all lists: equal for those that have the same rows in the same order. */
  identity: string
}

export type Records = Record<string, unknown>[]

export interface Page {
  release: Release
  total: number
  records: Records
}

export interface Reader {
  /** One page; null where the list's parent does not exist. @throws Unavailable */
  page(list: List, place: { offset: number; limit: number }, release: Release): Promise<Page | null>
  /** How many records the list has; null where its parent does not exist. @throws Unavailable */
  total(list: List, release: Release): Promise<{ release: Release; total: number } | null>
  /** Every record of the list, `chunkSize` at a time, all of one release. */
  chunks(list: List, chunkSize: number, release: Release): Promise<Export | null>
  /** One record by its key. @throws Unavailable */
  find(resource: Resource, key: string, release: Release): Promise<Found | null>
}

export interface Found {
  release: Release
  record: Record<string, unknown>
}

export interface Export {
  release: Release
  total: number
  /** @throws ReleaseSuperseded where a load was published before the last chunk was read. */
  chunks: AsyncGenerator<Records, void, void>
}

/** A release was published while an export read the one before it, which can't be read any more. */
export class ReleaseSuperseded extends Error {
  override readonly name = "ReleaseSuperseded"
}

const keptTotals = 20_000
const keptPositions = 100_000

export function createReader(pool: Pool, releases: Releases): Reader {
  const statements = createStatements(pool.db)
  const totals = new LruMap<number | "no parent">(keptTotals)
  const positions = new LruMap<Position>(keptPositions)

  /** Rows from an offset, by the position where the page before ended if that is known. */
  async function readRows(list: List, offset: number, limit: number, release: number) {
    const values = { ...bindingsOf(list), limit, offset }
    const start = offset === 0 ? undefined : positions.get(`${release} ${offset} ${list.identity}`)
    const rows = await pool.run(() =>
      start
        ? statements.rowsAfter(list, nullsOf(start)).execute({ ...values, ...bindPosition(start) })
        : statements.rowsFrom(list).execute(values),
    )
    const last = rows.at(-1)
    if (last) {
      const end = offset + rows.length
      positions.set(`${last.release} ${end} ${list.identity}`, positionOf(last))
    }
    return rows
  }

  async function readTotal(list: List, release: number) {
    const kept = totals.get(`${release} ${list.identity}`)
    if (kept !== undefined) return { release, total: kept }
    const { parent } = list
    const [counted, found] = await Promise.all([
      pool.run(() => statements.count(list).execute(bindingsOf(list))),
      parent && pool.run(() => statements.exists(parent.resource).execute({ key: parent.key })),
    ])
    const [count] = counted
    if (!count) throw new Error("A count has no row")
    const [existence = { release: count.release, exists: true }] = found ?? []
    // Seen apart: no release has both facts for certain, so none of the caller's matches.
    if (existence.release !== count.release) return { release: -1, total: 0 }
    const total = existence.exists ? count.total : ("no parent" as const)
    totals.set(`${count.release} ${list.identity}`, total)
    return { release: count.release, total }
  }

  async function total(list: List, expected: Release) {
    for (let release = expected; ; release = await releases.current()) {
      const counted = await readTotal(list, release.id)
      if (counted.release !== release.id) continue
      return counted.total === "no parent" ? null : { release, total: counted.total }
    }
  }

  async function page(
    list: List,
    { offset, limit }: { offset: number; limit: number },
    expected: Release,
  ) {
    for (let release = expected; ; release = await releases.current()) {
      const [rows, counted] = await Promise.all([
        readRows(list, offset, limit, release.id),
        readTotal(list, release.id),
      ])
      const seen = rows[0]?.release ?? release.id
      if (seen !== release.id || counted.release !== release.id) continue
      if (counted.total === "no parent") return null
      // A page without rows tells no release; it belongs to this one only if it lies past the end.
      if (rows.length === 0 && offset < counted.total) continue
      return { release, total: counted.total, records: rows.map(({ record }) => record) }
    }
  }

  async function chunks(list: List, chunkSize: number, expected: Release) {
    const first = await page(list, { offset: 0, limit: chunkSize }, expected)
    if (!first) return null
    const { release, total: count } = first
    async function* read(records: Records): AsyncGenerator<Records, void, void> {
      let sent = 0
      for (let chunk = records; ; ) {
        sent += chunk.length
        yield chunk
        if (sent >= count) return
        const rows = await readRows(list, sent, chunkSize, release.id)
        if (rows[0]?.release !== release.id) {
          throw new ReleaseSuperseded(`Release ${release.id} was superseded during an export`)
        }
        chunk = rows.map(({ record }) => record)
      }
    }
    return { release, total: count, chunks: read(first.records) }
  }

  async function find(resource: Resource, key: string, expected: Release) {
    for (let release = expected; ; release = await releases.current()) {
      const [row] = await pool.run(() => statements.find(resource).execute({ key }))
      if (!row) return null
      if (row.release === release.id) return { release, record: row.record }
    }
  }

  return { page, total, chunks, find }
}

const bindingsOf = ({ bound, parent }: List): Record<string, unknown> => ({
  ...bound,
  ...(parent && { [parentName]: parent.key }),
})

const positionOf = ({ position }: Row): Position => Object.values(position)

const bindPosition = (position: Position): Record<string, unknown> =>
  Object.fromEntries(position.map((value, index) => [positionName(index), value]))
