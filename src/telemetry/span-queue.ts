/** The queue of ended spans, bounded, and the count of those that were sent and dropped. */
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from "@opentelemetry/sdk-trace"
import type { SpanReadings } from "./span.ts"

export interface SpanQueueEvents {
  /** The collector does not accept spans. Called once until `onAccepted`. */
  onRefused(error: unknown): void
  /** It accepts them again. */
  onAccepted(): void
}

export interface SpanQueue extends SpanProcessor {
  readings(): SpanReadings
  /** Sends what is queued, for at most so long. Never rejects. */
  close(withinMs: number): Promise<void>
}

/** At most about 4 MB. */
export const maxQueued = 2_048
const batchSize = 512
const collectMs = 1_000

export function createSpanQueue(
  exporter: SpanExporter,
  exportTimeoutMs: number,
  { onRefused, onAccepted }: SpanQueueEvents,
): SpanQueue {
  let ended = 0
  let exported = 0
  let failed = 0
  let overflowed = 0
  let isRefused = false
  let isClosed = false

  /** Ended, and neither sent nor dropped. */
  const pending = () => ended - exported - failed

  function count(spans: number, error: Error | undefined): void {
    if (error) failed += spans
    else exported += spans
    if (isClosed || isRefused === (error !== undefined)) return
    isRefused = error !== undefined
    if (error) onRefused(error)
    else onAccepted()
  }

  const counting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        // 0 is success; the library's name for it is not exported with its exporter.
        const error = result.code === 0 ? undefined : (result.error ?? new Error("Not accepted"))
        count(spans.length, error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
  const batches = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: maxQueued,
    maxExportBatchSize: batchSize,
    scheduledDelayMillis: collectMs,
    exportTimeoutMillis: exportTimeoutMs,
  })

  return {
    onStart: () => {},
    onEnd: (span) => {
      if (isClosed || pending() >= maxQueued) {
        overflowed++
        return
      }
      ended++
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
    readings: () => ({
      exported,
      dropped: failed + overflowed + (isClosed ? pending() : 0),
      isAccepted: !isRefused,
    }),
    close: async (withinMs) => {
      const sent = batches.shutdown().catch(() => {})
      await Promise.race([sent, Bun.sleep(withinMs)])
      isClosed = true
    },
  }
}
