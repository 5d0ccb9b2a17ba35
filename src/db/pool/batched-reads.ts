/**
 * Reads by key that share statements: while a statement waits for a connection, further keys are added
 * to it. So a flood of keys does not fill the queue: a caller waits for the running statements and for
 * one more.
 */

/** Runs a statement when a connection is free, as a pool's `run` does. */
type Run = <T>(statement: () => Promise<T>) => Promise<T>

/** Keys in one statement. */
export const maxKeys = 1_000

interface Batch<Key, Row> {
  keys: Set<Key>
  rows: Promise<ReadonlyMap<Key, Row>>
}

/**
 * Returns a function that reads the row of one key, undefined where there is none. It rejects as `run`
 * or `read` does, for all keys of the statement.
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
    // In a microtask, so that no statement starts before its first key is added.
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
