/** How the metrics are declared. */
import type { MetricFamily, Sample } from "./text-format.ts"

type Value = Sample["value"]

/** Gives the values at this time. */
export type Collector = () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>

/** A metric with a single value; without any where it is undefined. */
const single = (value: number | undefined): Sample[] =>
  value === undefined ? [] : [{ labels: {}, value }]

export const gauge = (name: string, help: string, value: number | undefined): MetricFamily => ({
  name,
  help,
  kind: "gauge",
  samples: single(value),
})

export const counter = (name: string, help: string, value: number | undefined): MetricFamily => ({
  name,
  help,
  kind: "counter",
  samples: single(value),
})

/** A metric with a value for each of these, and what is known of each. */
export const familyOf =
  <T>(entries: readonly T[], labelsOf: (entry: T) => Sample["labels"]) =>
  (
    kind: MetricFamily["kind"],
    name: string,
    help: string,
    readValue: (entry: T) => Value | undefined,
  ): MetricFamily => ({
    name,
    help,
    kind,
    samples: entries.flatMap((entry) => {
      const value = readValue(entry)
      return value === undefined ? [] : [{ labels: labelsOf(entry), value }]
    }),
  })

/** A metric with a value for each name, which is in this label. */
export const byName = (label: string, values: Readonly<Record<string, Value>>) => {
  const family = familyOf(Object.entries(values), ([name]) => ({ [label]: name }))
  return (kind: MetricFamily["kind"], name: string, help: string): MetricFamily =>
    family(kind, name, help, ([, value]) => value)
}
