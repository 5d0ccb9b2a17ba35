/** A histogram as Prometheus has it: observations are counted by the first bound that they do not exceed. */

export interface HistogramReading {
  /** The upper bounds of the buckets, ascending. */
  bounds: readonly number[]
  /** How many fell into each bucket; one more than there are bounds, for what exceeds the last. */
  counts: readonly number[]
  sum: number
}

export interface Histogram {
  observe(value: number): void
  read(): HistogramReading
}

/** For what takes from a millisecond to the limit of a statement. */
export const secondBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20,
] as const

/** An observation takes some nanoseconds: the numbers are kept in one array, and nothing is allocated. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    observe: (value) => {
      let bucket = 0
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++
      counts[bucket] = (counts[bucket] ?? 0) + 1
      sum += value
    },
    read: () => ({ bounds, counts: [...counts], sum }),
  }
}
