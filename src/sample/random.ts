/**
 * Pseudo-random choices that are the same on every machine. Nothing here, or in its callers, may use a
 * function whose last digit depends on the platform (`Math.pow`, `Math.log`, `Math.exp`): IEEE 754
 * defines additions, products and roundings of doubles, and not those functions.
 */
export class Random {
  /** At least 0, below 1. */
  readonly fraction: () => number

  constructor(seed: number) {
    this.fraction = seeded(seed)
  }

  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.fraction() * below)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(items: readonly T[]): T {
    return at(items, this.below(items.length))
  }

  /** Prefers the front of the list: half of the draws fall in its first quarter. */
  pickEarly<T>(items: readonly T[]): T {
    const fraction = this.fraction()
    return at(items, Math.floor(fraction * fraction * items.length))
  }

  /** From `low` up to `low` doubled `octaves` times, each doubling as likely as the next. */
  spread(low: number, octaves: number): number {
    return low * (1 << this.below(octaves)) * (1 + this.fraction())
  }
}

/** The item at an index that the caller guarantees to be in the list. */
export function at<T>(items: readonly T[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError(`Cannot take item ${index} of ${items.length}`)
  return item
}

/** A list to `pick` from, in which each value occurs as often as its weight says. */
export function weighted<T>(...entries: readonly (readonly [value: T, weight: number])[]): T[] {
  return entries.flatMap(([value, weight]) => Array.from({ length: weight }, () => value))
}

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
