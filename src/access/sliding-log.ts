const NO_TIMES = new Float64Array(0)
const SMALLEST_RING = 4

/** The times of one key's admitted requests, oldest first, and the key's place in the list. */
export class SlidingLog {
  previous: SlidingLog = this
  next: SlidingLog = this
  count = 0
  private ring = NO_TIMES
  private start = 0

  constructor(readonly key: string) {}

  at(index: number): number {
    const position = this.start + index
    const { ring } = this
    return ring[position < ring.length ? position : position - ring.length] as number
  }

  /** Whether nothing in it counts any more. The newest leaves last, so one look is enough. */
  isSpent(nowMs: number, windowMs: number): boolean {
    return this.count === 0 || this.at(this.count - 1) + windowMs <= nowMs
  }

  expire(nowMs: number, windowMs: number): void {
    if (this.isSpent(nowMs, windowMs)) {
      this.count = 0
      this.start = 0
      this.ring = NO_TIMES
      return
    }
    while (this.at(0) + windowMs <= nowMs) {
      this.start = this.start + 1 === this.ring.length ? 0 : this.start + 1
      this.count--
    }
    // A quarter, and not a half, so that a log about that size is not copied back and forth.
    if (this.count * 4 < this.ring.length) this.resize(this.count * 2)
  }

  /** Adds a time that is not before the newest. There must be fewer than `limit`. */
  append(timeMs: number, limit: number): void {
    if (this.count === this.ring.length) this.resize(Math.min(this.count * 2, limit))
    const end = this.start + this.count
    this.ring[end < this.ring.length ? end : end - this.ring.length] = timeMs
    this.count++
  }

  private resize(wanted: number): void {
    const ring = new Float64Array(Math.max(wanted, SMALLEST_RING))
    const untilEnd = this.ring.subarray(this.start, this.start + this.count)
    ring.set(untilEnd)
    ring.set(this.ring.subarray(0, this.count - untilEnd.length), untilEnd.length)
    this.ring = ring
    this.start = 0
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
