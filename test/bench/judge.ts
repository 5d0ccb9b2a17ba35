/** Compares what was measured with the targets. */
import type { Figure, Outcome, Row, Target } from "./row.ts"
import { median, ratios } from "./statistics.ts"

/** A line of the table. */
export interface Judged {
  name: string
  work: string
  ours: Figure | null
  beside: { name: string; figure: Figure } | null
  /** The median of the rounds' ratios; null without a side to compare with. */
  ratio: number | null
  /** As text, empty where the line is for information. */
  target: string
  /** Null where there is no target, or it could not be measured. */
  holds: boolean | null
}

/** The lines of a row. A side that did not run gives a line without it. */
export function judge(row: Row, { figures }: Outcome): Judged[] {
  return row.targets.map((target) => {
    const ours = figures[target.figure] ?? null
    const other = target.over === undefined ? undefined : figures[target.over]
    const ratio = ours && other ? median(ratios(ours.samples, other.samples)) : null
    const absolute = ours && target.over === undefined ? median(ours.samples) : null
    return {
      name: row.name,
      work: target.figure === "ours" ? row.work : `${row.work}: ${target.figure}`,
      ours,
      beside: target.over !== undefined && other ? { name: target.over, figure: other } : null,
      ratio,
      target: targetText(target, ours),
      holds: isMet(target, ratio ?? absolute),
    }
  })
}

/** Null where nothing is asked for, or nothing was measured. */
export function isMet({ atLeast, atMost }: Target, value: number | null): boolean | null {
  if (value === null || (atLeast === undefined && atMost === undefined)) return null
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity)
}

function targetText({ over, atLeast, atMost }: Target, ours: Figure | null): string {
  const unit = over === undefined && ours?.unit ? ` ${ours.unit}` : ""
  const factor = over === undefined ? "" : ` × ${over}`
  if (atLeast !== undefined) return `≥ ${atLeast}${unit}${factor}`
  if (atMost !== undefined) return `≤ ${atMost}${unit}${factor}`
  return ""
}
