/** The text format of Prometheus, version 0.0.4. */
import type { HistogramReading } from "../telemetry/histogram.ts"

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  labels: Labels
  value: number | HistogramReading
}

/** All values of one name. */
export interface MetricFamily {
  name: string
  help: string
  kind: "gauge" | "counter" | "histogram"
  samples: readonly Sample[]
}

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** Families without samples are left out. */
export const textFormat = (families: readonly MetricFamily[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(familyText)
    .join("")

const familyText = ({ name, help, kind, samples }: MetricFamily): string => {
  const lines = samples.flatMap(({ labels, value }) =>
    typeof value === "number" ? [line(name, labels, value)] : histogramLines(name, labels, value),
  )
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${kind}\n${lines.join("")}`
}

function histogramLines(name: string, labels: Labels, reading: HistogramReading): string[] {
  let count = 0
  const buckets = reading.counts.map((inBucket, index) => {
    count += inBucket
    const le = String(reading.bounds[index] ?? "+Inf")
    return line(`${name}_bucket`, { ...labels, le }, count)
  })
  return [
    ...buckets,
    line(`${name}_sum`, labels, reading.sum),
    line(`${name}_count`, labels, count),
  ]
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedValue(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const escapedValue = (text: string): string => escaped(text).replaceAll('"', '\\"')
