/** Statistics of samples. All take at least one. */

/** The value below which this share of the samples lies, between two samples in proportion. */
export function quantile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError("There are no samples")
  const sorted = samples.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? 0
  const above = sorted[Math.ceil(position)] ?? below
  return below + (above - below) * (position - Math.floor(position))
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5)

/**
 * The ratios of one side to another. Rounds of equal number are compared one by one, since what
 * disturbs a round disturbs both sides of it.
 */
export const ratios = (ours: readonly number[], beside: readonly number[]): number[] =>
  ours.length === beside.length
    ? ours.map((sample, round) => sample / (beside[round] ?? Number.NaN))
    : [median(ours) / median(beside)]

type Point = readonly [x: number, y: number]

/** The lowest point in each window of this width, in the order of the windows. */
export function lowest(points: readonly Point[], width: number): Point[] {
  const windows = Map.groupBy(points, ([x]) => Math.floor(x / width))
  return [...windows.keys()]
    .sort((a, b) => a - b)
    .flatMap((window) => {
      const [first, ...others] = windows.get(window) ?? []
      return first ? [others.reduce((low, each) => (each[1] < low[1] ? each : low), first)] : []
    })
}

/** The slope of the line through points by least squares. Takes at least two different `x`. */
export function slope(points: readonly Point[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const covariance = mean(points.map(([x, y]) => (x - meanX) * (y - meanY)))
  const variance = mean(points.map(([x]) => (x - meanX) ** 2))
  return covariance / variance
}
