/** Times in ascending order, in a ring of fixed capacity: adding and dropping one costs O(1). */
export class TimeRing {
  count = 0
  private first = 0
  private readonly times: Float64Array

  constructor(readonly capacity: number) {
    this.times = new Float64Array(capacity)
  }

  /** The time at an index from the oldest on, which must be below `count`. */
  at(index: number): number {
    const position = this.first + index
    return this.times[position < this.capacity ? position : position - this.capacity] ?? Number.NaN
  }

  /** The ring must not be full. */
  push(time: number): void {
    const position = this.first + this.count
    this.times[position < this.capacity ? position : position - this.capacity] = time
    this.count++
  }

  /** Drops the times up to this one. */
  dropUntil(time: number): void {
    while (this.count > 0 && this.at(0) <= time) {
      this.first = this.first + 1 === this.capacity ? 0 : this.first + 1
      this.count--
    }
  }

  /** The ring must not be empty. */
  dropNewest(): void {
    this.count--
  }

  /** A ring of the same times. */
  resized(capacity: number): TimeRing {
    const ring = new TimeRing(capacity)
    for (let index = 0; index < this.count; index++) ring.push(this.at(index))
    return ring
  }
}
