/**
 * Reads a whole list in chunks, each of which begins after the position at which the one before
 * ended. While the receiver takes a chunk, the next one is read: one is ahead, never more.
 */
import { Unavailable } from "../pool/unavailable.ts"
import type { ReaderPools } from "./reader.ts"
import type { ReadOptions, Reads } from "./reads.ts"
import { ReleaseUnavailable } from "./releases.ts"
import { type RowEncoder, type RowsRead, readRows } from "./rows.ts"
import { bindPosition, nullsOf, type Position } from "./seek.ts"
import { bindingsOf, bindRelease, type List } from "./statements.ts"

export interface Export {
  total: number
  chunks: AsyncGenerator<Chunk, void, void>
}

export interface Chunk {
  records: number
  bytes: Uint8Array<ArrayBuffer>
}

export interface ChunkOptions extends ReadOptions {
  /** Records in a chunk. */
  chunkSize: number
  /** An encoder for one chunk, of the resource's fields in their order. */
  newEncoder: () => RowEncoder
}

type EncodedRows = RowsRead & Pick<Chunk, "bytes">

/** Null where the list's parent does not exist. */
export type ReadExport = (list: List, options: ChunkOptions) => Promise<Export | null>

/** An export that has begun would be lost as a whole where the database is away for a short time. */
const retryForMs = 10_000
const pauseMs = 250

export function createExportReader(
  { exports: pool }: Pick<ReaderPools, "exports">,
  read: Reads,
  readTotal: (list: List, options: ReadOptions) => Promise<number | null>,
): ReadExport {
  function readChunk(list: List, start: Position | undefined, options: ChunkOptions) {
    const { release, chunkSize, newEncoder } = options
    const values = {
      ...bindingsOf(list),
      ...bindRelease(release),
      ...bindPosition(start ?? []),
      limit: chunkSize,
      offset: 0,
    }
    return read(pool, {
      ...options,
      removed: list.removed,
      key: null,
      statement: async ({ statements, relation, db }) => {
        const statement = start
          ? statements.rowsAfter(list, nullsOf(start), relation)
          : statements.rowsFrom(list, relation)
        const encoder = newEncoder()
        const rows = await readRows(db, statement, list, values, encoder)
        return { ...rows, bytes: encoder.bytes() }
      },
    })
  }

  async function* chunksOf(list: List, total: number, first: EncodedRows, options: ChunkOptions) {
    let left = total
    for (let chunk = first; ; ) {
      // Records of the release are gone, as where its history was deleted.
      if (chunk.count < Math.min(left, options.chunkSize)) {
        throw new ReleaseUnavailable(options.release)
      }
      left -= chunk.count
      const { count, bytes, position } = chunk
      let ahead = left > 0 ? readChunk(list, position, options) : undefined
      // It may fail before the receiver asks for it, or when none will.
      ahead?.catch(() => {})
      yield { records: count, bytes }
      if (!ahead) return
      chunk = await retryWhileUnavailable(() => {
        const attempt = ahead ?? readChunk(list, position, options)
        ahead = undefined
        return attempt
      })
    }
  }

  return async (list, options) => {
    const [total, first] = await Promise.all([
      readTotal(list, options),
      readChunk(list, undefined, options),
    ])
    if (total === null) return null
    return { total, chunks: total === 0 ? none() : chunksOf(list, total, first, options) }
  }
}

async function* none(): AsyncGenerator<Chunk, void, void> {}

/** @throws Unavailable after ten seconds; any other error at once */
async function retryWhileUnavailable<T>(task: () => Promise<T>): Promise<T> {
  let giveUpAtMs: number | undefined
  for (;;) {
    try {
      return await task()
    } catch (error) {
      giveUpAtMs ??= performance.now() + retryForMs
      if (!(error instanceof Unavailable) || performance.now() >= giveUpAtMs) throw error
    }
    await Bun.sleep(pauseMs)
  }
}
