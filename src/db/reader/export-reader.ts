/**
 * Reads a whole list in chunks, each of which begins after the position at which the one before
 * ended. While the receiver takes a chunk, the next one is read: one is ahead, never more.
 */
import { retryWhileUnavailable } from "../pool/retry.ts"
import { type EncodedRows, type RowEncoder, readEncoded } from "./encoded-rows.ts"
import { bindingsOf, type List } from "./list.ts"
import type { ReaderPools, ReadOptions } from "./list-reader.ts"
import type { ReadOn } from "./reader.ts"
import { type RelationChoice, readList } from "./relation-choice.ts"
import { ReleaseUnavailable } from "./releases.ts"
import { bindPosition, nullsOf, type Position } from "./seek.ts"
import { bindRelease, type StatementsOn } from "./statements.ts"

export interface Export {
  total: number
  chunks: AsyncGenerator<Chunk, void, void>
}

export type Chunk = Pick<EncodedRows, "records" | "bytes">

export interface ChunkOptions extends ReadOptions {
  /** Records in a chunk. */
  chunkSize: number
  /** An encoder for one chunk, of the resource's fields in their order. */
  newEncoder: () => RowEncoder
}

/** Null where the list's parent does not exist. */
export type ReadExport = (list: List, options: ChunkOptions) => Promise<Export | null>

/** Reads chunks on the primary or on the replica. */
export interface ChunkReader {
  /** The first rows of a list, as far as its current state has them. */
  firstRows(list: List, options: ChunkOptions): Promise<EncodedRows | undefined>
  /** A chunk of so many records at most. @throws ReleaseUnavailable */
  chunk(list: List, rest: Rest, options: ChunkOptions): Promise<EncodedRows>
}

interface Rest {
  /** The position that it comes after. */
  start?: Position
  /** How many records are left. */
  left: number
}

export function createChunkReader(
  { exports: pool }: Pick<ReaderPools, "exports">,
  relations: RelationChoice,
  statementsOn: StatementsOn,
): ChunkReader {
  const statements = statementsOn(pool.db)

  function readRows(list: List, start: Position | undefined, options: ChunkOptions) {
    const { release, account, chunkSize, newEncoder } = options
    const values = {
      ...bindingsOf(list),
      ...bindRelease(release),
      ...bindPosition(start ?? []),
      limit: chunkSize,
      offset: 0,
    }
    return readList(relations, release, list, (relation) => {
      const statement = start
        ? statements.rowsAfter(list, nullsOf(start), relation)
        : statements.rowsFrom(list, relation)
      return pool.run(() => readEncoded(pool.db, statement, list, values, newEncoder()), account)
    })
  }

  return {
    firstRows: async (list, options) => (await readRows(list, undefined, options))[0],

    chunk: async (list, { start, left }, options) => {
      const expected = Math.min(left, options.chunkSize)
      const [rows] = await readRows(list, start, options)
      if (rows?.records === expected) return rows
      // Rows are missing: a newer release, which no row shows, has removed them.
      relations.recordNewer(options.release)
      const [found] = await readRows(list, start, options)
      if (found?.records !== expected) throw new ReleaseUnavailable(options.release)
      return found
    },
  }
}

/** @param read reads each chunk where the release is */
export function createExportReader(
  read: ReadOn<ChunkReader>,
  readTotal: (list: List, options: ReadOptions) => Promise<number | null>,
): ReadExport {
  const readChunk = (list: List, rest: Rest, options: ChunkOptions) =>
    read((reader) => reader.chunk(list, rest, options))

  async function* chunksOf(list: List, total: number, first: EncodedRows, options: ChunkOptions) {
    let left = total
    for (let chunk = first; ; ) {
      left -= chunk.records
      const rest = { start: chunk.position, left }
      let ahead = left > 0 ? readChunk(list, rest, options) : undefined
      // It may fail before the receiver asks for it, or when none will.
      ahead?.catch(() => {})
      yield chunk
      if (!ahead) return
      chunk = await retryWhileUnavailable(() => {
        const attempt = ahead ?? readChunk(list, rest, options)
        ahead = undefined
        return attempt
      })
    }
  }

  return async (list, options) => {
    const [total, rows] = await Promise.all([
      readTotal(list, options),
      read((reader) => reader.firstRows(list, options)),
    ])
    if (total === null) return null
    if (total === 0) return { total, chunks: none() }
    const isWhole = rows?.records === Math.min(total, options.chunkSize)
    const first = isWhole ? rows : await readChunk(list, { left: total }, options)
    return { total, chunks: chunksOf(list, total, first, options) }
  }
}

async function* none(): AsyncGenerator<Chunk, void, void> {}
