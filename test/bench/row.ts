/** What a row of the benchmark is. The runner knows rows by this alone. */
import type { Environment } from "./environment.ts"

export type Unit =
  | "requests/s"
  | "µs/request"
  | "ms"
  | "s"
  | "s per million"
  | "MB"
  | "MB/minute"
  | ""

/** A measured value, once for each round. */
export interface Figure {
  unit: Unit
  samples: readonly number[]
}

/** A line of the table: a figure, by itself or divided by another, and its limit, if it has one. */
export interface Target {
  figure: string
  /** The figure that it is divided by. */
  over?: string
  atLeast?: number
  atMost?: number
}

export interface Outcome {
  figures: Readonly<Record<string, Figure>>
  /** What a reader of the figures must know. */
  notes?: readonly string[]
}

export const programs = ["wrk", "psql", "pgbench", "curl", "gzip", "redis-server", "/proc"] as const
export type Program = (typeof programs)[number]

export interface Row {
  /** For `--only`. */
  name: string
  /** What the service does, for the table. */
  work: string
  /** What has to be installed. */
  needs: readonly Program[]
  targets: readonly Target[]
  /** @throws Error if a response is not as expected, or something does not run */
  run(environment: Environment): Promise<Outcome>
}
