/** Of the values of a register, many repeat: its statuses, types and holders. */
const maxRemembered = 5000

/** The same function, with its last results in memory. It forgets all of them when they are too many. */
export function remembering<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
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
