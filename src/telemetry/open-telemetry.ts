/**
 * Tracing by OpenTelemetry's SDK, which sends spans to a collector by OTLP over HTTP. Its libraries are
 * loaded here, and this file only where tracing is set.
 *
 * A collector that is slow, refuses or is gone costs spans and nothing else: the queue is bounded, what
 * does not fit or is not accepted is dropped and counted, and no request waits for it.
 */
import {
  type Context,
  createTraceState,
  type Span as LibrarySpan,
  type Tracer as LibraryTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources"
import { TracerProvider } from "@opentelemetry/sdk-trace"
import { createSampler, type SamplerName } from "./sampler.ts"
import type { Span, SpanEnd, SpanOptions, Tracer } from "./span.ts"
import { createSpanQueue, type SpanQueueEvents } from "./span-queue.ts"
import type { CallerContext } from "./trace-context.ts"

export interface TracingOptions extends SpanQueueEvents {
  /** Of the collector, without the path of a signal. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
  sampler: SamplerName
  /** The share of traces that a sampler by ratio records. */
  samplerRatio: number
}

/** How long sending a batch may take, attempts included. */
const exportTimeoutMs = 5_000
/** Batches that are being sent at the same time: all that the queue holds. */
const concurrentExports = 4

export function startTracing(options: TracingOptions): Tracer {
  const { endpoint, headers, serviceName, sampler, samplerRatio } = options
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers,
    timeoutMillis: exportTimeoutMs,
    concurrencyLimit: concurrentExports,
  })
  const queue = createSpanQueue(exporter, exportTimeoutMs, options)
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.name": serviceName,
        "service.instance.id": crypto.randomUUID(),
      }),
    ),
    sampler: createSampler(sampler, samplerRatio),
    spanProcessors: [queue],
  })
  const tracer = provider.getTracer("mds")
  return {
    startRequest: (name, caller, options) => {
      const parent = caller ? remoteParent(caller) : ROOT_CONTEXT
      return startSpan({ tracer, offsetMs: Date.now() - performance.now() }, name, parent, options)
    },
    readings: queue.readings,
    close: queue.close,
  }
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

const remoteParent = ({ traceId, spanId, isSampled, state }: CallerContext): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    ...(state !== undefined && { traceState: createTraceState(state) }),
    isRemote: true,
  })

/** What the spans of a request have in common. */
interface OfRequest {
  tracer: LibraryTracer
  /** From `performance.now()` to the time of day. The library's own times are rounded, each by itself. */
  offsetMs: number
}

function startSpan(
  of: OfRequest,
  name: string,
  parent: Context,
  { kind, attributes }: SpanOptions,
): Span {
  const startTime = timeOf(of, performance.now())
  const options = { kind: kinds[kind], startTime, ...(attributes && { attributes }) }
  const span = of.tracer.startSpan(name, options, parent)
  const { traceId, spanId, traceFlags } = span.spanContext()
  const context = { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }
  const unrecorded: Span = { context, startChild: () => unrecorded, end: () => {} }
  if (!span.isRecording()) return unrecorded
  return {
    context,
    startChild: (child, ofChild) =>
      startSpan(of, child, trace.setSpan(ROOT_CONTEXT, span), ofChild),
    end: (end) => endSpan(of, span, end),
  }
}

function endSpan(
  of: OfRequest,
  span: LibrarySpan,
  { name, attributes, errorType, atMs = performance.now() }: SpanEnd = {},
): void {
  if (name !== undefined) span.updateName(name)
  if (attributes) span.setAttributes(attributes)
  if (errorType !== undefined) {
    span.setAttribute("error.type", errorType)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end(timeOf(of, atMs))
}

/** Seconds and nanoseconds of the time of day. */
function timeOf({ offsetMs }: OfRequest, atMs: number): [number, number] {
  const ms = atMs + offsetMs
  return [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1_000_000)]
}
