/**
 * The metrics of a process, in the text format of Prometheus. Values are read when they are scraped.
 * None contains an account, an address or a token.
 */

export interface Readings {
  /** The connection to Redis; null without one. */
  redis: { answering: boolean; losses: number } | null
  /** The log's buffer; null without one. */
  log: { dropped: number; failures: number; bytes: number } | null
  /** Sources that the process has fetched, by what came of it; null where it fetches none. */
  fetches: Readonly<Record<string, number>> | null
  /** Requests without a valid token, by status. */
  unauthenticated: Readonly<Record<string, number>>
  /** Whether the process is subscribed to notifications of changes. */
  listening: boolean
  /** The cache of whole answers. */
  cachedAnswers: AnswerCacheReadings
  windows: Readonly<Record<"accounts" | "addresses", WindowReadings>>
  pools: Readonly<Record<string, { running: number; waiting: number }>>
}

interface AnswerCacheReadings {
  lookups: Readonly<Record<"hit" | "miss", number>>
  bytes: number
}

interface WindowReadings {
  size: number
  bytes: number
  evicted: number
}

export interface Metrics {
  scrape(): Promise<{ contentType: string; text: string }>
}

interface Declared {
  name: string
  help: string
  kind: "Gauge" | "Counter"
  /** The label of its values; none where it has a single value. */
  label?: string
  values: (readings: Readings) => Record<string, number>
}

const single = (value: number | undefined): Record<string, number> =>
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
    help: "1 while windows are shared through Redis, 0 while it does not answer and each process uses its local windows; absent without Redis",
    kind: "Gauge",
    values: ({ redis }) => single(redis ? Number(redis.answering) : undefined),
  },
  {
    name: "mds_redis_losses_total",
    help: "Number of times Redis stopped answering",
    kind: "Counter",
    values: ({ redis }) => single(redis?.losses),
  },
  {
    name: "mds_notifications_listening",
    help: "1 while the process is subscribed to notifications of changed accounts, tokens and releases, 0 while each request looks up its token and the newest release",
    kind: "Gauge",
    values: ({ listening }) => single(Number(listening)),
  },
  {
    name: "mds_log_lines_dropped_total",
    help: "Log lines dropped because the buffer was full",
    kind: "Counter",
    values: ({ log }) => single(log?.dropped),
  },
  {
    name: "mds_log_write_failures_total",
    help: "Failed writes of the log to standard output; each is retried a second later",
    kind: "Counter",
    values: ({ log }) => single(log?.failures),
  },
  {
    name: "mds_log_buffer_bytes",
    help: "Estimated size of the log lines waiting to be written",
    kind: "Gauge",
    values: ({ log }) => single(log?.bytes),
  },
  {
    name: "mds_fetches_total",
    help: "Sources that were to be fetched, by what came of it; absent without FETCH_EVERY",
    kind: "Counter",
    label: "outcome",
    values: ({ fetches }) => fetches ?? {},
  },
  {
    name: "mds_unauthenticated_requests_total",
    help: "Requests without a valid token, by status",
    kind: "Counter",
    label: "status",
    values: ({ unauthenticated }) => unauthenticated,
  },
  {
    name: "mds_answer_cache_lookups_total",
    help: "Lookups in the cache of whole answers, by whether the answer was there",
    kind: "Counter",
    label: "result",
    values: ({ cachedAnswers }) => cachedAnswers.lookups,
  },
  {
    name: "mds_answer_cache_bytes",
    help: "Estimated memory of the cache of whole answers",
    kind: "Gauge",
    values: ({ cachedAnswers }) => single(cachedAnswers.bytes),
  },
  {
    name: "mds_windows",
    help: "Rate limit windows in the memory of the process",
    kind: "Gauge",
    label: "of",
    values: ofWindows("size"),
  },
  {
    name: "mds_windows_bytes",
    help: "Estimated memory of the rate limit windows",
    kind: "Gauge",
    label: "of",
    values: ofWindows("bytes"),
  },
  {
    name: "mds_windows_evicted_total",
    help: "Rate limit windows evicted for lack of memory while requests in them still counted",
    kind: "Counter",
    label: "of",
    values: ofWindows("evicted"),
  },
  {
    name: "mds_database_statements_running",
    help: "Running database statements",
    kind: "Gauge",
    label: "pool",
    values: ofPools("running"),
  },
  {
    name: "mds_database_statements_waiting",
    help: "Database statements waiting for a connection",
    kind: "Gauge",
    label: "pool",
    values: ofPools("waiting"),
  },
]

/** @param read returns the current values; a metric without a value at first is left out for good */
export function createMetrics(read: () => Readings): Metrics {
  let registry: ReturnType<typeof register> | undefined
  return {
    scrape: async () => {
      registry ??= register(read)
      const { contentType, metrics } = await registry
      return { contentType, text: await metrics() }
    },
  }
}

/** The library is loaded with the first scrape: the start of a process need not wait for it. */
async function register(read: () => Readings) {
  const library = await import("prom-client")
  const registry = new library.Registry()
  const first = read()
  for (const { kind, label, values, ...named } of declared) {
    if (Object.keys(values(first)).length === 0) continue
    const Metric: typeof library.Gauge | typeof library.Counter = library[kind]
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
  return { contentType: registry.contentType, metrics: () => registry.metrics() }
}
