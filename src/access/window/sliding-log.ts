import { RunRing } from "./run-ring.ts"

/**
 * What a key takes beside its letters: the log, its place in the map, and what the map and the
 * allocator leave unused. Measured on Bun 1.4 as growth of resident memory, after collection and
 * with time to give pages back: 190 where a million keys were added once, 270 to 320 where
 * millions passed through a full store. The latter is what a budget is for.
 */
const BYTES_PER_KEY = 300

/** What a ring takes beside its runs: two objects. Measured likewise. */
const BYTES_PER_RING = 130

/**
 * The admitted requests of one key, and the key's place in the list.
 *
 * Requests are logged as runs: those with the same time are one run and leave together. The newest
 * run stands outside of the ring of the older ones: it is the only one that grows and it tells
 * whether anything counts, and a key that was seen once, as most in a flood are, needs no ring.
 */
export class SlidingLog {
  previous: SlidingLog = this
  next: SlidingLog = this
  private newestMs = Number.NEGATIVE_INFINITY
  private newestRequests = 0
  private older: RunRing | undefined = undefined

  constructor(readonly key: string) {}

  /** How many requests it holds: as of the last `expire`, how many count. */
  get count(): number {
    return this.newestRequests + (this.older?.requests ?? 0)
  }

  /** About what the key and its log take in memory. */
  get bytes(): number {
    const { key, older } = this
    return BYTES_PER_KEY + key.length + (older === undefined ? 0 : BYTES_PER_RING + older.bytes)
  }

  /** Whether nothing in it counts any more. The newest leaves last, so one look is enough. */
  isSpent(nowMs: number, windowMs: number): boolean {
    return this.newestMs + windowMs <= nowMs
  }

  expire(nowMs: number, windowMs: number): void {
    if (this.isSpent(nowMs, windowMs)) {
      this.newestMs = Number.NEGATIVE_INFINITY
      this.newestRequests = 0
      this.older = undefined
      return
    }
    this.older?.expire(nowMs, windowMs)
    if (this.older?.isEmpty) this.older = undefined
  }

  /** Adds a request at `timeMs`, or with the newest if that is later. `limit` sizes the ring. */
  append(timeMs: number, limit: number): void {
    if (timeMs <= this.newestMs) {
      this.newestRequests++
      return
    }
    if (this.newestRequests > 0) {
      this.older ??= new RunRing()
      this.older.push(this.newestMs, this.newestRequests, limit)
    }
    this.newestMs = timeMs
    this.newestRequests = 1
  }

  /** The time of the oldest among the newest `most` requests; there must be a request. */
  oldestOfNewest(most: number): number {
    const { newestMs, newestRequests, older } = this
    return older === undefined || most <= newestRequests
      ? newestMs
      : older.oldestOfNewest(most - newestRequests)
  }

  moveBefore(other: SlidingLog): void {
    this.leave()
    this.next = other
    this.previous = other.previous
    this.previous.next = this
    other.previous = this
  }

  leave(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
    this.next = this
    this.previous = this
  }
}
