import type { Config } from "../config.ts"
import { describeError, type Log } from "../log/log.ts"
import type { Tracer } from "../telemetry/span.ts"

/** Null where no collector is set: then its libraries are not loaded. */
export async function connectTracing(config: Config, log: Log): Promise<Tracer | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config
  if (endpoint === null) return null
  const { startTracing } = await import("../telemetry/open-telemetry.ts")
  return startTracing({
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: config.OTEL_SERVICE_NAME,
    sampler: config.OTEL_TRACES_SAMPLER,
    samplerRatio: config.OTEL_TRACES_SAMPLER_ARG,
    onRefused: (error) =>
      log.warn("the collector does not accept spans: they are dropped", describeError(error)),
    onAccepted: () => log.info("the collector accepts spans again"),
  })
}
