/** A histogram as in Prometheus: each observation counts in the first bucket whose bound is not below it. */

export interface HistogramReading {
  /** The upper bounds of the buckets, ascending. */
  bounds: readonly number[]
  /** The number of observations in each bucket; the last bucket has no bound. */
  counts: readonly number[]
  sum: number
}

export type Histogram = ReturnType<typeof createHistogram>

/** For durations from a millisecond to the limit of a statement. */
export const secondBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20,
] as const

/** An observation takes some nanoseconds: one array has the numbers, and no observation allocates. */
export function createHistogram(bounds: readonly number[]) {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe: (value: number): void => {
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++
      counts[bucket] = (counts[bucket] ?? 0) + 1
      sum += value
    },
    read: (): HistogramReading => ({ bounds, counts: [...counts], sum }),
  }
}
