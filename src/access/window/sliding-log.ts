import { RunRing } from "./run-ring.ts"

/**
 * The memory of a key apart from its characters: the log, its entry in the map, and what the map and
 * the allocator leave unused. Measured on Bun 1.4 as growth of resident memory, after a collection and
 * with time to return pages: 190 where a million keys were added once, 270 to 320 where millions
 * passed through a full store, which is the case that a budget is for.
 */
const bytesPerKey = 300

/** The memory of a ring apart from its runs: two objects. Measured in the same way. */
const bytesPerRing = 130

/**
 * The admitted requests of one key, and the key's node in the linked list.
 *
 * Requests are logged as runs: those with the same timestamp are one run and expire together. The
 * newest run is not in the ring of the older ones: it alone grows, and decides whether the log
 * has expired, and a key with a single request, as most in a flood, needs no ring.
 */
export class SlidingLog {
  previous: SlidingLog = this
  next: SlidingLog = this
  private newestMs = Number.NEGATIVE_INFINITY
  private newestRequests = 0
  private older: RunRing | undefined = undefined

  constructor(readonly key: string) {}

  /** The number of requests: those that counted at the last `expire`. */
  get count(): number {
    return this.newestRequests + (this.older?.requests ?? 0)
  }

  /** An estimate of the memory that the key and its log take. */
  get bytes(): number {
    const { key, older } = this
    return bytesPerKey + key.length + (older === undefined ? 0 : bytesPerRing + older.bytes)
  }

  /** Whether no request counts any more. The newest run expires last, so it alone is checked. */
  isExpired(nowMs: number, windowMs: number): boolean {
    return this.newestMs + windowMs <= nowMs
  }

  expire(nowMs: number, windowMs: number): void {
    if (this.isExpired(nowMs, windowMs)) {
      this.newestMs = Number.NEGATIVE_INFINITY
      this.newestRequests = 0
      this.older = undefined
      return
    }
    this.older?.expire(nowMs, windowMs)
    if (this.older?.isEmpty) this.older = undefined
  }

  /** Adds a request at `timeMs`, or to the newest run if that is later. `limit` sizes the ring. */
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

  /** The timestamp of the oldest among the newest `most` requests. The log must not be empty. */
  oldestOfNewest(most: number): number {
    const { newestMs, newestRequests, older } = this
    return older === undefined || most <= newestRequests
      ? newestMs
      : older.oldestOfNewest(most - newestRequests)
  }

  moveBefore(other: SlidingLog): void {
    this.unlink()
    this.next = other
    this.previous = other.previous
    this.previous.next = this
    other.previous = this
  }

  unlink(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
    this.next = this
    this.previous = this
  }
}
