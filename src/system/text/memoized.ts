/** All calls share the result of the first one. After a failure, the next call retries. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

const maxRemembered = 5000

/** Caches the results of a function, for values that repeat in a register. A full cache is cleared. */
export function memoized<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new Map<Key, { value: Value }>()
  return (key) => {
    const known = results.get(key)
    if (known) return known.value
    if (results.size === maxRemembered) results.clear()
    const value = compute(key)
    results.set(key, { value })
    return value
  }
}
