/**
 * The steps of a request, as spans of its trace. Without a collector nothing is loaded for this, and a
 * step is a call of its function.
 */

/** What is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface RequestEnd {
  /** "GET /api/v1/companies", or the method alone where no route matched. */
  name: string
  status: number
  /** The code of the error; empty without one. */
  errorCode: string
  attributes: Attributes
}

/** What traces requests: open-telemetry.ts. */
export interface Tracing {
  request<T>(request: Request, respond: () => T): T
  endRequest(end: RequestEnd): void
  step<T>(name: string, run: () => T): T
  openStep(name: string): EndStep
  ids(): TraceIds | undefined
}

/** Ends a step, once. */
export type EndStep = (attributes?: Attributes, error?: unknown) => void

/** As the log shows them. */
export interface TraceIds {
  trace_id: string
  span_id: string
}

let tracing: Tracing | undefined

/** For the process, as OpenTelemetry has it. */
export function setTracing(chosen: Tracing): void {
  tracing = chosen
}

/** Whether requests are traced. */
export const isTracing = (): boolean => tracing !== undefined

/** Runs what responds to a request, as a trace or a part of its caller's. */
export const traceRequest = <T>(request: Request, respond: () => T): T =>
  tracing ? tracing.request(request, respond) : respond()

/** Ends the trace of the request at hand. */
export const endTrace = (end: RequestEnd): void => tracing?.endRequest(end)

/** Runs a step of the request at hand, which lasts until its promise is settled if it returns one. */
export const step = <T>(name: string, run: () => T): T =>
  tracing ? tracing.step(name, run) : run()

/** Begins a step that lasts longer than the response takes. */
export const openStep = (name: string): EndStep => tracing?.openStep(name) ?? (() => {})

/** The ids of the request at hand; undefined where it has no trace. */
export const traceIds = (): TraceIds | undefined => tracing?.ids()
