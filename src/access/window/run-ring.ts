import { exactRuns } from "./timestamp-resolution.ts"

const smallestLength = 4

/**
 * A ring buffer of runs of requests, oldest first. A run is a pair, a timestamp and the number of
 * requests with it. Each is written once and removed once, so that all methods but `oldestOfNewest`
 * cost amortised O(1). Positions and lengths are those of the array, which has two elements for a run.
 */
export class RunRing {
  /** The number of requests in all runs. */
  requests = 0
  private ring = new Float64Array(smallestLength)
  private start = 0
  private used = 0

  get isEmpty(): boolean {
    return this.used === 0
  }

  get bytes(): number {
    return 8 * this.ring.length
  }

  /** Adds a run that is later than the newest. `limit` bounds how far the ring grows at first. */
  push(timeMs: number, requests: number, limit: number): void {
    if (this.used === this.ring.length) this.grow(limit)
    const position = this.positionOf(this.used)
    this.ring[position] = timeMs
    this.ring[position + 1] = requests
    this.used += 2
    this.requests += requests
  }

  /** Removes the runs that have left the window by `nowMs`. */
  expire(nowMs: number, windowMs: number): void {
    const { ring } = this
    while (this.used > 0 && this.timeAt(this.start) + windowMs <= nowMs) {
      this.requests -= this.requestsAt(this.start)
      this.start = this.start + 2 === ring.length ? 0 : this.start + 2
      this.used -= 2
    }
    // At a quarter, not a half, so that a ring of about that size is not resized back and forth.
    if (this.used * 4 < ring.length) this.resize(this.used * 2)
  }

  /** The timestamp of the oldest among the newest `most` requests. The ring must not be empty. */
  oldestOfNewest(most: number): number {
    if (most >= this.requests) return this.timeAt(this.start)
    // Only after the limit was lowered below the number of logged requests.
    let position = this.start
    let offset = this.used
    for (let left = most; left > 0; left -= this.requestsAt(position)) {
      offset -= 2
      position = this.positionOf(offset)
    }
    return this.timeAt(position)
  }

  private timeAt(position: number): number {
    return this.ring[position] ?? Number.NaN
  }

  private requestsAt(position: number): number {
    return this.ring[position + 1] ?? Number.NaN
  }

  private positionOf(offset: number): number {
    const position = this.start + offset
    return position < this.ring.length ? position : position - this.ring.length
  }

  /**
   * Doubles the ring, up to what one limit can fill. Only after a change of the limit it may need more,
   * at most `exactRuns` twice: as many runs to the millisecond, and as many of a coarser resolution.
   */
  private grow(limit: number): void {
    const most = 2 * Math.min(limit, exactRuns)
    const doubled = 2 * this.used
    this.resize(this.used < most ? Math.min(doubled, most) : doubled)
  }

  private resize(wanted: number): void {
    const length = Math.max(wanted, smallestLength)
    if (length === this.ring.length) return
    const ring = new Float64Array(length)
    const untilEnd = this.ring.subarray(this.start, this.start + this.used)
    ring.set(untilEnd)
    ring.set(this.ring.subarray(0, this.used - untilEnd.length), untilEnd.length)
    this.ring = ring
    this.start = 0
  }
}
