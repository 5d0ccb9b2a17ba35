/**
 * Requests by hour or by day, as bars and as a table. The drawing is stretched to the page's width, so it has
 * no text: its labels are HTML around it.
 */
import type { Period } from "../../../accounts/access/usage.ts"
import { panel, table } from "../kit/components.ts"
import { count, number } from "../kit/format.ts"
import { attributes, type Html, html } from "../kit/html.ts"

export interface UsageChart {
  id: string
  title: string
  periods: readonly Period[]
  unit: "hour" | "day"
}

const height = 100
const barWidth = 10
const gap = 2

export function usageChart({ id, title, periods, unit }: UsageChart): Html {
  /** `2026-01-02 03:00`, or `2026-01-02` */
  const label = (startMs: number): string =>
    new Date(startMs)
      .toISOString()
      .slice(0, unit === "hour" ? 16 : 10)
      .replace("T", " ")
  const busiest = periods.reduce((most, each) => (each.requests > most.requests ? each : most))
  return panel(
    id,
    title,
    html`<p>${summary(periods)}${busiest.requests > 0 && ` The busiest ${unit} is ${label(busiest.startMs)}, with ${number(busiest.requests)}.`}</p>
${busiest.requests > 0 && drawing(periods, busiest.requests, label)}
<details><summary>The same numbers as a table</summary>${table({
      caption: title,
      columns: [
        {
          head: unit === "hour" ? "Hour (UTC)" : "Day (UTC)",
          cell: ({ startMs }) => label(startMs),
          fixed: true,
        },
        { head: "Requests", cell: ({ requests }) => number(requests), number: true },
      ],
      rows: periods.toReversed(),
      empty: "There are no periods.",
    })}</details>`,
  )
}

function summary(periods: readonly Period[]): string {
  const total = periods.reduce((sum, { requests }) => sum + requests, 0)
  return total === 0 ? "No request was made." : `${count(total, "request")}.`
}

function drawing(
  periods: readonly Period[],
  largest: number,
  label: (startMs: number) => string,
): Html {
  const width = periods.length * (barWidth + gap) - gap
  const bar = (index: number, value: number) => {
    // A value other than zero stays visible.
    const tall = value === 0 ? 0 : Math.max(1, Math.round((value / largest) * height))
    const box = { x: index * (barWidth + gap), y: height - tall, width: barWidth, height: tall }
    return html`<rect ${attributes(box)}/>`
  }
  const axis = [periods[0], periods[Math.floor(periods.length / 2)], periods.at(-1)]
  return html`<div class="usage-chart"><span class="numbers muted small" aria-hidden="true">${number(largest)}</span>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${periods.map(
    ({ startMs, requests }, index) =>
      html`<g><title>${label(startMs)}: ${number(requests)}</title>${bar(index, requests)}</g>`,
  )}</svg>
<div class="axis numbers muted small" aria-hidden="true">${axis.map((each) => html`<span>${label(each?.startMs ?? 0)}</span>`)}</div></div>`
}
