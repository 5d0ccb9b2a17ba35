/** Where the time of a request went, for `Server-Timing` (W3C Server Timing). */

/** In the order in which they are shown. */
const timingNames = ["token", "window", "release", "queue", "statements", "encode"] as const

export type TimingName = (typeof timingNames)[number]

/** What is shown with how often it happened. */
const counted: readonly TimingName[] = ["statements"]

export interface Timings {
  add(name: TimingName, ms: number): void
  /** The value of `Server-Timing`. What has not happened is left out. */
  header(totalMs: number): string
}

export function createTimings(): Timings {
  const sums = new Map<TimingName, { ms: number; count: number }>()
  return {
    add: (name, ms) => {
      const { ms: sum, count } = sums.get(name) ?? { ms: 0, count: 0 }
      sums.set(name, { ms: sum + ms, count: count + 1 })
    },
    header: (totalMs) => {
      const shown = timingNames.flatMap((name) => {
        const sum = sums.get(name)
        if (!sum) return []
        const count = counted.includes(name) ? `;desc="${sum.count}"` : ""
        return [`${name};dur=${milliseconds(sum.ms)}${count}`]
      })
      return [...shown, `total;dur=${milliseconds(totalMs)}`].join(", ")
    },
  }
}

/** To the microsecond. */
const milliseconds = (ms: number): string => String(Math.round(ms * 1000) / 1000)
