/**
 * A cache whose budget is shared by owners. Beyond it, the oldest entries of the owner that has
 * most are evicted, so an owner that sets very many evicts only its own.
 */
import { entryBytes } from "./cache.ts"

/** Owners are numbered. A key is unique among the keys of its owner. */
export interface FairCache<V> {
  get(owner: number, key: string): V | undefined
  set(owner: number, key: string, value: V): void
  values(): Iterable<V>
}

export interface FairCacheOptions<V> {
  maxBytes: number
  /** About how much memory a value takes. */
  bytesOf: (value: V) => number
}

interface Entry<V> {
  value: V
  bytes: number
}

/** The entries of an owner, in the order in which they were set. */
interface Owned<V> {
  entries: Map<string, Entry<V>>
  bytes: number
}

export function createFairCache<V>({ maxBytes, bytesOf }: FairCacheOptions<V>): FairCache<V> {
  const owners = new Map<number, Owned<V>>()
  let totalBytes = 0

  function ownedBy(owner: number): Owned<V> {
    const known = owners.get(owner)
    if (known) return known
    const owned: Owned<V> = { entries: new Map(), bytes: 0 }
    owners.set(owner, owned)
    return owned
  }

  function remove(owner: number, key: string): void {
    const owned = owners.get(owner)
    const entry = owned?.entries.get(key)
    if (!owned || !entry) return
    owned.entries.delete(key)
    owned.bytes -= entry.bytes
    totalBytes -= entry.bytes
    if (owned.entries.size === 0) owners.delete(owner)
  }

  function dropOne(): void {
    let largest = { owner: 0, bytes: -1 }
    for (const [owner, { bytes }] of owners) {
      if (bytes > largest.bytes) largest = { owner, bytes }
    }
    const [oldest = ""] = owners.get(largest.owner)?.entries.keys() ?? []
    remove(largest.owner, oldest)
  }

  return {
    get: (owner, key) => owners.get(owner)?.entries.get(key)?.value,

    set: (owner, key, value) => {
      const bytes = entryBytes + bytesOf(value)
      const owned = ownedBy(owner)
      const replaced = owned.entries.get(key)
      // So that the new entry comes last.
      if (replaced) owned.entries.delete(key)
      owned.entries.set(key, { value, bytes })
      const added = bytes - (replaced?.bytes ?? 0)
      owned.bytes += added
      totalBytes += added
      while (totalBytes > maxBytes) dropOne()
    },

    *values() {
      for (const { entries } of owners.values()) {
        for (const { value } of entries.values()) yield value
      }
    },
  }
}
