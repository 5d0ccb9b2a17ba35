/**
 * What operators see of a request on its way: its trace, and `Server-Timing`. Where neither is set, this
 * adds nothing to the chain.
 */
import { Elysia } from "elysia"
import { type ObservedRequest, runObserved } from "../telemetry/active-request.ts"
import type { Tracer } from "../telemetry/span.ts"
import { createTimings } from "../telemetry/timings.ts"
import { readTraceContext, traceHeader } from "../telemetry/trace-context.ts"
import { aroundRequest } from "./around-request.ts"
import { isOfProbe } from "./probes.ts"

export interface ObservationOptions {
  /** Null without tracing. */
  tracer: Tracer | null
  /** Whether responses have `Server-Timing`. */
  serverTiming: boolean
}

export const observation = ({ tracer, serverTiming }: ObservationOptions) => {
  const plugin = new Elysia({ name: "observation" })
  if (!tracer && !serverTiming) return plugin

  const begin = (request: Request): ObservedRequest => ({
    timings: serverTiming ? createTimings() : null,
    span:
      tracer?.startRequest(request.method, readTraceContext(request), { kind: "server" }) ?? null,
    startedMs: performance.now(),
    openParts: 1,
  })

  return plugin.wrap(
    aroundRequest(async (request, respond) => {
      if (isOfProbe(new URL(request.url).pathname)) return respond()
      const observed = begin(request)
      const response = await runObserved(observed, respond)
      const answeredMs = performance.now()
      observed.answeredMs = answeredMs
      const { timings, span, startedMs } = observed
      if (timings) response.headers.set("Server-Timing", timings.header(answeredMs - startedMs))
      if (span) response.headers.set("traceresponse", traceHeader(span.context))
      return response
    }),
  )
}
