/** The mean of recent values: an exponentially weighted moving average. */
export interface RecentMean {
  add(value: number): void
  /** 0 before the first value. */
  read(): number
}

/** Of the last values, about as many as these decide. */
const decisive = 16

export function createRecentMean(): RecentMean {
  let mean: number | undefined
  return {
    add: (value) => {
      mean = mean === undefined ? value : mean + (value - mean) / decisive
    },
    read: () => mean ?? 0,
  }
}
