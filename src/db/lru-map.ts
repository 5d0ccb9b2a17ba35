/** A map of bounded size that forgets what was used longest ago. */
export class LruMap<V> {
  readonly #entries = new Map<string, V>()

  constructor(readonly capacity: number) {}

  get(key: string): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  /** From what was used longest ago to what was used last. */
  values(): IterableIterator<V> {
    return this.#entries.values()
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  set(key: string, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.capacity) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
