/**
 * The request that is being answered, for what is measured on the way. It is known wherever its work goes
 * on, without being handed on from function to function. While nothing is observed, measuring is a call
 * of the function that is measured.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import { codeOf } from "../text/error-code.ts"
import type { Attributes, Span, SpanEnd, SpanOptions } from "./span.ts"
import type { TimingName, Timings } from "./timings.ts"

/** A step on the way to an answer. */
export interface Step {
  /** What `Server-Timing` adds it to. */
  timing?: TimingName
  /** The name and kind of its span. */
  span?: SpanOptions & { name: string }
}

export interface ObservedRequest {
  timings: Timings | null
  span: Span | null
  /** By `performance.now()`. */
  startedMs: number
  answeredMs?: number
  /** What still goes on. At 0 it has ended, and what its timers do later is no part of it. */
  openParts: number
}

interface Active {
  request: ObservedRequest
  /** That of the innermost step. */
  span: Span | null
}

const storage = new AsyncLocalStorage<Active>()
/** Spares all else the look-up. */
let isUsed = false

function active(): Active | undefined {
  const found = isUsed ? storage.getStore() : undefined
  return found && found.request.openParts > 0 ? found : undefined
}

/** Runs what answers a request. */
export function runObserved<T>(request: ObservedRequest, run: () => T): T {
  isUsed = true
  return storage.run({ request, span: request.span }, run)
}

/** The trace of the request that is being answered, for the log; undefined without one. */
export function traceFields(): { trace_id: string; span_id: string } | undefined {
  const context = active()?.request.span?.context
  return context && { trace_id: context.traceId, span_id: context.spanId }
}

/** Ends the request that was answered. A fault of the caller is no error of the service. */
export function endObserved(status: number, errorCode: string, attributes: Attributes): void {
  const request = active()?.request
  if (!request) return
  request.openParts--
  const { "http.request.method": method, "http.route": route } = attributes
  request.span?.end({
    attributes,
    ...(route !== undefined && { name: `${method} ${route}` }),
    ...(status >= 500 && { errorType: errorCode || String(status) }),
    ...(request.answeredMs !== undefined && { atMs: request.answeredMs }),
  })
}

/** Runs a step and measures it, until its promise is settled if it returns one. */
export function observed<T>(step: Step, run: () => T): T {
  const within = active()
  return within ? measured(within, step, run) : run()
}

function measured<T>({ request, span: parent }: Active, step: Step, run: () => T): T {
  const span = step.span ? (parent?.startChild(step.span.name, step.span) ?? null) : null
  const startedMs = performance.now()
  const end = (outcome?: SpanEnd): void => {
    if (step.timing) request.timings?.add(step.timing, performance.now() - startedMs)
    span?.end(outcome)
  }
  const fail = (error: unknown): never => {
    end({ errorType: errorTypeOf(error) })
    throw error
  }
  try {
    const result = span ? storage.run({ request, span }, run) : run()
    if (!(result instanceof Promise)) {
      end()
      return result
    }
    const settled = result.then((value) => {
      end()
      return value
    }, fail)
    return settled as T
  } catch (error) {
    return fail(error)
  }
}

/** Runs what no request waits for, so that it is no part of the one that caused it. */
export const unobserved = <T>(run: () => T): T => (active() ? storage.exit(run) : run())

/** A step that goes on after its request was answered. */
export interface OpenStep {
  /** Runs a part of it. */
  run<T>(part: () => T): T
  /** Ends it, once. */
  end(attributes?: Attributes, error?: unknown): void
}

const unobservedStep: OpenStep = { run: (part) => part(), end: () => {} }

export function openStep(name: string): OpenStep {
  const within = active()
  if (!within) return unobservedStep
  const { request } = within
  const span = within.span?.startChild(name, { kind: "internal" }) ?? null
  let isOpen = true
  request.openParts++
  return {
    run: (part) => storage.run({ request, span }, part),
    end: (attributes, error) => {
      if (!isOpen) return
      isOpen = false
      request.openParts--
      span?.end({
        ...(attributes && { attributes }),
        ...(error !== undefined && { errorType: errorTypeOf(error) }),
      })
    },
  }
}

/** Never a message, which may contain what was asked for. */
function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return "_OTHER"
  return codeOf(error) || codeOf(error.cause) || error.name
}
