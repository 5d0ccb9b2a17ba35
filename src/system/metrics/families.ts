/**
 * Metrics in the text format of Prometheus, version 0.0.4, with the names of OpenTelemetry's semantic
 * conventions for HTTP and databases. A scrape reads the values. No metric has an account, a client's address
 * or a token, and the values of every label are bounded.
 */
import type { HistogramReading } from "./histogram.ts"

type Value = number | HistogramReading | null | undefined

interface Sample {
  labels: Readonly<Record<string, string>>
  value: Value
}

/** All values of one name. */
export interface MetricFamily {
  name: string
  help: string
  kind: "gauge" | "counter" | "histogram"
  samples: readonly Sample[]
}

/** Metrics without a value are left out. */
const familyOf =
  (kind: MetricFamily["kind"]) =>
  (name: string, help: string, values: Value | Sample[]): MetricFamily => ({
    name,
    help,
    kind,
    samples: Array.isArray(values) ? values : [{ labels: {}, value: values }],
  })

export const gauge = familyOf("gauge")
export const counter = familyOf("counter")
export const histogram = familyOf("histogram")

/** A value for each entry, whose name is in this label. */
export const byName = <T>(
  label: string,
  entries: Readonly<Record<string, T>>,
  read: (entry: T) => Value,
): Sample[] =>
  Object.entries(entries).map(([name, entry]) => ({
    labels: { [label]: name },
    value: read(entry),
  }))

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8"

export const metricsText = (families: readonly MetricFamily[]): string =>
  families.map(familyText).join("")

function familyText({ name, help, kind, samples }: MetricFamily): string {
  const lines = samples.map(({ labels, value }) => {
    if (value === null || value === undefined) return ""
    if (typeof value === "number") return line(name, labels, value)
    return histogramText(name, labels, value)
  })
  const text = lines.join("")
  return text && `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${kind}\n${text}`
}

function histogramText(name: string, labels: Sample["labels"], reading: HistogramReading): string {
  let count = 0
  const buckets = reading.counts.map((inBucket, index) => {
    count += inBucket
    return line(`${name}_bucket`, { ...labels, le: String(reading.bounds[index] ?? "+Inf") }, count)
  })
  const totals = line(`${name}_sum`, labels, reading.sum) + line(`${name}_count`, labels, count)
  return buckets.join("") + totals
}

function line(name: string, labels: Sample["labels"], value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedValue(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

const escapedValue = (text: string): string => escaped(text).replaceAll('"', '\\"')
