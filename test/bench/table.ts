/** The benchmark's table, in Markdown that is also legible in a terminal. */
import type { Judged } from "./judge.ts"
import type { Figure } from "./row.ts"
import { median } from "./statistics.ts"

const headings = ["work", "ours", "beside it", "ratio", "target", "holds?"]

export function table(lines: readonly Judged[]): string {
  const rows = lines.map((line) => [
    line.work,
    line.ours ? figureText(line.ours) : "not measured",
    line.beside ? `${line.beside.name} ${figureText(line.beside.figure)}` : "",
    line.ratio === null ? "" : numberText(line.ratio),
    line.target,
    line.holds === null ? "" : line.holds ? "yes" : "no",
  ])
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const format = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`
  return [format(headings), rule, ...rows.map(format)].join("\n")
}

/** The median with its unit, and the smallest and largest sample where there are several. */
export function figureText({ unit, samples }: Figure): string {
  const shown = `${numberText(median(samples))}${unit && ` ${unit}`}`
  if (samples.length === 1) return shown
  return `${shown} (${numberText(Math.min(...samples))} to ${numberText(Math.max(...samples))})`
}

/** Three significant digits, and whole numbers from 100 on. */
export function numberText(value: number): string {
  const digits =
    Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3
  return value.toLocaleString("en-US", { maximumFractionDigits: digits })
}
