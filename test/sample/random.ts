/**
 * Pseudo-random numbers that are the same on every machine: the generator sfc32, which uses 32-bit
 * integer arithmetic only. Nothing here, or in its callers, may use a function whose last
 * digit depends on the platform (`Math.pow`, `Math.log`, `Math.exp`): additions, products and
 * roundings of doubles are defined by IEEE 754, those functions are not.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** Each `stream` of a seed is independent, so one resource's draws never shift another's. */
  constructor(seed: number, stream: string) {
    if (!Number.isSafeInteger(seed)) {
      throw new RangeError(`Cannot seed sample data with ${seed}: it is no exact integer`)
    }
    this.#a = seed | 0
    this.#b = Math.floor(seed / 2 ** 32) | 0
    this.#c = hashText(stream)
    for (let round = 0; round < 15; round++) this.uint32()
  }

  uint32(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0
    return t >>> 0
  }

  /** At least 0, below 1. */
  fraction(): number {
    return this.uint32() / 2 ** 32
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

/** FNV-1a over UTF-16 code units. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash | 0
}
