/**
 * Reads by key that share statements: one that waits for its slot takes along every key that is asked
 * for meanwhile. So a flood of keys does not make a queue that others stand behind: whoever comes
 * waits for the statements under way and for one more.
 */

/** Starts a statement when there is a slot for it, as a pool's `run` does. */
type Run = <T>(statement: () => Promise<T>) => Promise<T>

/** In one statement. */
export const maxKeys = 1_000

interface Batch<Key, Row> {
  keys: Set<Key>
  rows: Promise<ReadonlyMap<Key, Row>>
}

/**
 * Gives a function that reads one key; undefined where there is none. What it rejects with is what
 * `run` or `read` did, for all keys of that statement.
 */
export function createBatchedReads<Key, Row>(
  run: Run,
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Row>>,
): (key: Key) => Promise<Row | undefined> {
  let queued: Batch<Key, Row> | undefined

  function enqueue(): Batch<Key, Row> {
    const keys = new Set<Key>()
    const close = () => {
      if (queued?.keys === keys) queued = undefined
    }
    const start = () => {
      close()
      return read([...keys])
    }
    // In a later turn, so that no statement starts before its first key is there.
    const rows = Promise.resolve()
      .then(() => run(start))
      .finally(close)
    return { keys, rows }
  }

  return async (key) => {
    if (!queued || queued.keys.size >= maxKeys) queued = enqueue()
    const { keys, rows } = queued
    keys.add(key)
    return (await rows).get(key)
  }
}
