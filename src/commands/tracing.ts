import { describeError, type Log } from "../log/log.ts"
import { setTracing } from "../telemetry/steps.ts"

/** How long the last spans may take. */
const shutdownMs = 1_000
const reportEveryMs = 60_000

/**
 * Traces requests where the environment names a collector, by the variables of OpenTelemetry's
 * specification. @returns sends the last spans, within a second
 */
export async function startTracing(
  environment: NodeJS.ProcessEnv,
  log: Log,
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = environment
  if (!OTEL_EXPORTER_OTLP_ENDPOINT && !OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return async () => {}
  const openTelemetry = await import("../telemetry/open-telemetry.ts")
  let reportedMs = Number.NEGATIVE_INFINITY
  const { tracing, shutdown } = openTelemetry.startTracing(environment, (error) => {
    // Each batch fails while the collector is gone.
    if (performance.now() - reportedMs < reportEveryMs) return
    reportedMs = performance.now()
    log.warn("spans were not sent to the collector", describeError(error))
  })
  setTracing(tracing)
  return async () => {
    await Promise.race([Promise.allSettled([shutdown()]), Bun.sleep(shutdownMs)])
  }
}
