/**
 * The wall clock without its steps back: the window must hold in the time that really passes, and
 * the logs must stay in order.
 *
 * After a step back of up to one window, time stands still until the clock is again where it was.
 * Time then runs slower than it should, so no more is admitted than the limit allows, and times that
 * arrive a little out of order do no harm. A larger step is the correction of a clock that was far
 * ahead. Standing still could shut callers out for days, so time runs on from where it is, and the
 * difference is remembered to tell callers the time by their own clocks.
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
