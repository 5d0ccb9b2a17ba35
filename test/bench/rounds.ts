/** Measures several sides in turns, so that all see the same machine. */

/** The value below which this share of the samples lies, interpolated between two samples. */
export function quantile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError("There are no samples")
  const sorted = samples.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? 0
  const above = sorted[Math.ceil(position)] ?? below
  return below + (above - below) * (position - Math.floor(position))
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5)

/** The samples of each side, by round, for each figure. A figure's name ends in its unit. */
export type Figures = Record<string, Record<string, number[]>>

/** Measures one side once. @returns its figures */
export type Measure = () => Promise<Readonly<Record<string, number>>>

/**
 * Runs each side once in each round. Each round begins with another side. In a first round, which does
 * not count, programs compile and connect.
 */
export async function rounds(
  count: number,
  sides: Readonly<Record<string, Measure>>,
): Promise<Figures> {
  const figures: Figures = {}
  const entries = Object.entries(sides)
  for (let round = -1; round < count; round++) {
    const first = (round + 1) % entries.length
    for (const [side, measure] of [...entries.slice(first), ...entries.slice(0, first)]) {
      const measured = await measure()
      if (round < 0) continue
      for (const [figure, value] of Object.entries(measured)) {
        figures[figure] ??= {}
        figures[figure][side] ??= []
        figures[figure][side].push(value)
      }
    }
  }
  return figures
}

/**
 * A line for each figure, in Markdown: each side's median, and ours divided by each other side. The first line has
 * the work.
 */
export function table(work: string, figures: Figures): string {
  const lines = Object.entries(figures).map(([figure, sides], line) => {
    const { ours = [], ...others } = sides
    const peers = Object.entries(others).map(
      ([name, samples]) =>
        `${name} ${numberText(median(samples))} (${numberText(median(ratios(ours, samples)))})`,
    )
    return `| ${[line === 0 ? work : "", figure, spread(ours), peers.join(", ")].join(" | ")} |`
  })
  return lines.join("\n")
}

export const tableHead =
  "| Work | Figure | Service: median (least to most) | Beside it (service / it) |\n| --- | --- | --- | --- |"

/** Of equal rounds, since a disturbance of the machine meets both sides of one. */
const ratios = (ours: readonly number[], beside: readonly number[]): number[] =>
  ours.length === beside.length
    ? ours.map((sample, round) => sample / (beside[round] ?? Number.NaN))
    : [median(ours) / median(beside)]

const spread = (samples: readonly number[]): string =>
  samples.length < 2
    ? samples.map(numberText).join("")
    : `${numberText(median(samples))} (${numberText(Math.min(...samples))} to ${numberText(Math.max(...samples))})`

/** Three significant digits, and whole numbers from 100 on. */
const numberText = (value: number): string =>
  value.toLocaleString(
    "en-US",
    Math.abs(value) < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  )
