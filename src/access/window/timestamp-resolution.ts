/**
 * The resolution of the timestamps in a window's log.
 *
 * Up to a limit of `exactRuns` it is a millisecond. Above, the window is divided into at most
 * `exactRuns` intervals, and all requests in an interval are logged at its end, as one run. Such a
 * request counts for its window and less than one interval more, and never for less: no window ever
 * contains more than the limit, and no log more than `exactRuns` runs and the newest, however high the
 * limit is. For a window of an hour the resolution is 360 ms.
 */

/** Up to this limit, each request may have a run of its own. */
export const exactRuns = 10_000

/** Timestamps are rounded up to multiples of this many milliseconds. `windowMs` is above 0. */
export function resolutionMs(limit: number, windowMs: number): number {
  return limit <= exactRuns ? 1 : Math.ceil(windowMs / exactRuns)
}
