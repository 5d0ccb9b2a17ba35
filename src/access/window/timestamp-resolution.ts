/**
 * How finely a window tells the times of requests apart.
 *
 * Up to a limit of `exactRuns`, to the millisecond. Past that the window is divided into at most as
 * many granules, and all requests of a granule are logged at its end, as one run. A request then
 * counts for its window and less than one granule more, and never for less: no window ever holds
 * more than the limit, and no log more than `exactRuns` runs and the newest, however high the limit
 * is. For an hour a granule is 360 ms.
 */

/** Up to this limit, each request may have a run of its own. */
export const exactRuns = 10_000

/** Times are rounded up to whole multiples of this many milliseconds. `windowMs` is above 0. */
export function resolutionMs(limit: number, windowMs: number): number {
  return limit <= exactRuns ? 1 : Math.ceil(windowMs / exactRuns)
}
