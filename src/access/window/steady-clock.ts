/**
 * A monotonic clock derived from the wall clock: the window must be exact in real time, and the
 * logs must stay in order.
 *
 * After the wall clock was set back by up to one window, this clock stops until the wall clock has
 * caught up. Time then runs slower than it should, so no more is admitted than the limit allows, and
 * timestamps that arrive slightly out of order do no harm. A larger step corrects a clock that was far
 * ahead. Stopping could then deny callers for days, so this clock runs on from where it is, and the
 * difference is kept for converting times that are shown to callers.
 */
export class SteadyClock {
  private latestMs = Number.NEGATIVE_INFINITY
  private aheadMs = 0

  constructor(private readonly windowMs: number) {}

  read(nowMs: number): number {
    const steadyMs = nowMs + this.aheadMs
    if (steadyMs >= this.latestMs) this.latestMs = steadyMs
    else if (this.latestMs - steadyMs > this.windowMs) this.aheadMs = this.latestMs - nowMs
    return this.latestMs
  }

  toWallMs(steadyMs: number): number {
    return steadyMs - this.aheadMs
  }
}
