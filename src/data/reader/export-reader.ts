/**
 * Reads a whole list in chunks. Each chunk begins after the end of the previous one. While the receiver
 * takes a chunk, the reader reads one ahead.
 */
import { Unavailable } from "../db/pool/unavailable.ts"
import type { Reading, ReadOptions } from "./reads.ts"
import { ReleaseUnavailable } from "./releases.ts"
import { type RowEncoder, type RowsRead, readRows } from "./rows.ts"
import { bindPosition, type Position } from "./seek.ts"
import type { List } from "./statements.ts"

export interface Export {
  total: number
  chunks: AsyncGenerator<{ records: number; content: Uint8Array<ArrayBuffer> }, void, void>
}

export interface ChunkOptions extends ReadOptions {
  /** An encoder for one chunk, of the resource's fields in their order. */
  newEncoder: () => RowEncoder
}

interface EncodedRows extends RowsRead {
  encoder: RowEncoder
}

/** The most records that are read, or encoded, at a time. */
const recordsPerChunk = 2_000

/** A short outage of the database would otherwise abort a whole export. */
const retryForMs = 10_000
const pauseMs = 250

export function createExportReader(
  { pools, read }: Reading,
  readTotal: (list: List, options: ReadOptions) => Promise<number | null>,
) {
  const readChunk = (list: List, start: Position | undefined, options: ChunkOptions) =>
    read(pools.exports, {
      ...options,
      list,
      key: null,
      statement: async ({ statements, relation, db, values }) => {
        const encoder = options.newEncoder()
        const bound = {
          ...values,
          ...bindPosition(start),
          limit: recordsPerChunk,
          offset: 0,
        }
        const query = statements.chunk(list, relation, start)
        const rows = await readRows(db, query, bound, encoder)
        return { ...rows, encoder }
      },
    })

  async function* chunksOf(
    list: List,
    total: number,
    first: EncodedRows,
    options: ChunkOptions,
  ): Export["chunks"] {
    let left = total
    for (let chunk = first; left > 0; ) {
      // Pruning has deleted records of the release.
      if (chunk.count === 0) throw new ReleaseUnavailable(options.release)
      left -= chunk.count
      const { count, encoder, position } = chunk
      let ahead = left > 0 ? readChunk(list, position, options) : undefined
      // It may fail before the receiver takes it, or after the receiver has ended.
      ahead?.catch(() => {})
      yield { records: count, content: encoder.content() }
      if (!ahead) return
      chunk = await retryWhileUnavailable(() => {
        const attempt = ahead ?? readChunk(list, position, options)
        ahead = undefined
        return attempt
      })
    }
  }

  /**
   * Reads every record of a list; null if its parent does not exist. After the first chunk, it retries for some
   * seconds while the database is unavailable.
   * @throws Unavailable, ReleaseUnavailable
   */
  return async (list: List, options: ChunkOptions): Promise<Export | null> => {
    const [total, first] = await Promise.all([
      readTotal(list, options),
      readChunk(list, undefined, options),
    ])
    if (total === null) return null
    return { total, chunks: chunksOf(list, total, first, options) }
  }
}

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
