/**
 * Tracing by OpenTelemetry's SDK, which sends spans to a collector by OTLP over HTTP and reads its own
 * environment variables. Loaded only where a collector is set.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api"
import { setGlobalErrorHandler, W3CTraceContextPropagator } from "@opentelemetry/core"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources"
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace"
import { codeOf } from "../text/error-code.ts"
import type { Attributes, Tracing } from "./steps.ts"

/**
 * @param onError receives the reason why spans were not sent
 * @returns the tracing, and a function that sends the last spans
 */
export function startTracing(environment: NodeJS.ProcessEnv, onError: (error: unknown) => void) {
  setGlobalErrorHandler(onError)
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "mds" }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    sampler: samplerOf(environment),
    // The SDK's queue has a limit, and drops spans that exceed it.
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: Number(environment.OTEL_BSP_SCHEDULE_DELAY || 5_000),
      }),
    ],
  })
  return {
    tracing: tracingBy(provider.getTracer("mds")),
    shutdown: () => provider.shutdown(),
  }
}

/** The specification defines these variables, but `sdk-trace` does not read them. */
function samplerOf(environment: NodeJS.ProcessEnv): Sampler {
  const [, parentBased, name] =
    /^(parentbased_)?(.*)$/.exec(environment.OTEL_TRACES_SAMPLER ?? "parentbased_always_on") ?? []
  const ratio = Number(environment.OTEL_TRACES_SAMPLER_ARG || 1)
  const samplers: Record<string, Sampler> = {
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(ratio),
  }
  const root = samplers[name ?? ""] ?? new AlwaysOnSampler()
  return parentBased ? new ParentBasedSampler({ root }) : root
}

/** Skips headers that contain text like an API token. */
const visibleHeaders = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => {
    const value = headers.get(name)
    return value === null || value.includes("mds_") ? undefined : value
  },
}

function tracingBy(tracer: Tracer): Tracing {
  const propagator = new W3CTraceContextPropagator()
  const storage = new AsyncLocalStorage<Context>()

  const current = (): Span | undefined => {
    const context = storage.getStore()
    return context && trace.getSpan(context)
  }

  function startStep(name: string): { span: Span; context: Context } | undefined {
    const parent = storage.getStore()
    if (!parent) return undefined
    const span = tracer.startSpan(name, {}, parent)
    return { span, context: trace.setSpan(parent, span) }
  }

  return {
    request: (request, respond) => {
      const caller = propagator.extract(ROOT_CONTEXT, request.headers, visibleHeaders)
      const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, caller)
      return storage.run(trace.setSpan(caller, span), respond)
    },

    endRequest: ({ name, status, errorCode, attributes }) => {
      const span = current()
      if (!span) return
      span.updateName(name)
      // A 4xx is the caller's fault and no error of the service.
      if (status >= 500) {
        span.setAttribute("error.type", errorCode || String(status))
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      endSpan(span, attributes)
    },

    step: (name, run) => {
      const started = startStep(name)
      if (!started) return run()
      const { span, context } = started
      try {
        const result = storage.run(context, run)
        if (result instanceof Promise) {
          result.then(
            () => span.end(),
            (error: unknown) => endSpan(span, {}, error),
          )
        } else span.end()
        return result
      } catch (error) {
        endSpan(span, {}, error)
        throw error
      }
    },

    openStep: (name) => {
      const span = startStep(name)?.span
      return (attributes, error) => {
        if (span?.isRecording()) endSpan(span, attributes, error)
      }
    },

    ids: () => {
      const context = current()?.spanContext()
      return context && { trace_id: context.traceId, span_id: context.spanId }
    },
  }
}

/** Only the kind of an error: a message may contain the caller's input. */
function endSpan(span: Span, attributes: Attributes = {}, error?: unknown): void {
  span.setAttributes(attributes)
  if (error instanceof Error) {
    span.setAttribute("error.type", codeOf(error) || codeOf(error.cause) || error.name)
  }
  span.end()
}
