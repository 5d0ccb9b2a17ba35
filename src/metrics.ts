/**
 * What a process tells of itself, in the text format that Prometheus reads. Values are read when they
 * are asked for. None names an account, an address or a token.
 */
import { Counter, Gauge, Registry } from "prom-client"

export interface Readings {
  /** How the connection to Redis stands; null without one. */
  redis: { answering: boolean; losses: number } | null
  /** The buffer that the log is written through; null without one. */
  log: { dropped: number; failures: number; bytes: number } | null
  /** Requests without a valid token, by the status of their answers. */
  unauthenticated: Readonly<Record<string, number>>
  /** Whether notifications of changed accounts and tokens come. */
  listening: boolean
  windows: Readonly<Record<"accounts" | "addresses", WindowReadings>>
  pools: Readonly<Record<string, { running: number; waiting: number }>>
}

interface WindowReadings {
  size: number
  bytes: number
  evicted: number
}

export interface Metrics {
  contentType: string
  text(): Promise<string>
}

interface Declared {
  name: string
  help: string
  kind: typeof Gauge | typeof Counter
  /** What tells its values apart; none where it is one value. */
  label?: string
  values: (readings: Readings) => Record<string, number>
}

const alone = (value: number | undefined): Record<string, number> =>
  value === undefined ? {} : { "": value }

const ofWindows = (name: keyof WindowReadings) => (readings: Readings) => ({
  accounts: readings.windows.accounts[name],
  addresses: readings.windows.addresses[name],
})

const ofPools = (name: "running" | "waiting") => (readings: Readings) =>
  Object.fromEntries(Object.entries(readings.pools).map(([pool, load]) => [pool, load[name]]))

const declared: readonly Declared[] = [
  {
    name: "mds_redis_answering",
    help: "1 while windows are shared through Redis, 0 while it does not answer and each process goes by its own; absent without Redis",
    kind: Gauge,
    values: ({ redis }) => alone(redis ? Number(redis.answering) : undefined),
  },
  {
    name: "mds_redis_losses_total",
    help: "How often Redis stopped answering",
    kind: Counter,
    values: ({ redis }) => alone(redis?.losses),
  },
  {
    name: "mds_notifications_listening",
    help: "1 while changes of accounts and tokens are told by the database, 0 while each request looks them up",
    kind: Gauge,
    values: ({ listening }) => alone(Number(listening)),
  },
  {
    name: "mds_log_lines_dropped_total",
    help: "Lines of the log for which its buffer had no room",
    kind: Counter,
    values: ({ log }) => alone(log?.dropped),
  },
  {
    name: "mds_log_write_failures_total",
    help: "Attempts to write the log to standard output that failed; each is repeated a second later",
    kind: Counter,
    values: ({ log }) => alone(log?.failures),
  },
  {
    name: "mds_log_buffer_bytes",
    help: "About how much of the log waits to be written",
    kind: Gauge,
    values: ({ log }) => alone(log?.bytes),
  },
  {
    name: "mds_unauthenticated_requests_total",
    help: "Requests without a valid token, by the status of their answers",
    kind: Counter,
    label: "status",
    values: ({ unauthenticated }) => unauthenticated,
  },
  {
    name: "mds_windows",
    help: "Windows that the process keeps",
    kind: Gauge,
    label: "of",
    values: ofWindows("size"),
  },
  {
    name: "mds_windows_bytes",
    help: "About how much memory they take",
    kind: Gauge,
    label: "of",
    values: ofWindows("bytes"),
  },
  {
    name: "mds_windows_evicted_total",
    help: "Windows that were dropped for want of memory though requests in them still counted",
    kind: Counter,
    label: "of",
    values: ofWindows("evicted"),
  },
  {
    name: "mds_database_statements_running",
    help: "Statements under way",
    kind: Gauge,
    label: "pool",
    values: ofPools("running"),
  },
  {
    name: "mds_database_statements_waiting",
    help: "Callers who wait for a connection",
    kind: Gauge,
    label: "pool",
    values: ofPools("waiting"),
  },
]

/** @param read gives what can be told now; what can't be at first is not told later either */
export function createMetrics(read: () => Readings): Metrics {
  const registry = new Registry()
  const first = read()
  for (const { kind: Metric, label, values, ...named } of declared) {
    if (Object.keys(values(first)).length === 0) continue
    const metric = new Metric({
      ...named,
      labelNames: label ? [label] : [],
      registers: [registry],
      collect: () => {
        metric.reset()
        for (const [of, value] of Object.entries(values(read()))) {
          metric.inc(label ? { [label]: of } : {}, value)
        }
      },
    })
  }
  return { contentType: registry.contentType, text: () => registry.metrics() }
}
