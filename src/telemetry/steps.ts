/**
 * The steps of a request, as spans of its trace. Without a collector this loads nothing, and a step is a call
 * of its function.
 */

/** Undefined attributes are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface RequestEnd {
  /** "GET /api/v1/companies", or the method alone where no route matched. */
  name: string
  status: number
  /** The code of the error; empty without an error. */
  errorCode: string
  attributes: Attributes
}

/** Traces requests: see open-telemetry.ts. */
export interface Tracing {
  request<T>(request: Request, respond: () => T): T
  endRequest(end: RequestEnd): void
  step<T>(name: string, run: () => T): T
  openStep(name: string): EndStep
  ids(): TraceIds | undefined
}

/** Ends a step, once. */
export type EndStep = (attributes?: Attributes, error?: unknown) => void

/** The ids in the form of the log. */
export interface TraceIds {
  trace_id: string
  span_id: string
}

let tracing: Tracing | undefined

/** Sets the tracing of the process. */
export function setTracing(chosen: Tracing): void {
  tracing = chosen
}

/** Whether requests are traced. */
export const isTracing = (): boolean => tracing !== undefined

/** Runs the handling of a request, as a trace or a part of its caller's trace. */
export const traceRequest = <T>(request: Request, respond: () => T): T =>
  tracing ? tracing.request(request, respond) : respond()

/** Ends the trace of the current request. */
export const endTrace = (end: RequestEnd): void => tracing?.endRequest(end)

/** Runs a step of the current request. If it returns a promise, the step lasts until the promise is settled. */
export const step = <T>(name: string, run: () => T): T =>
  tracing ? tracing.step(name, run) : run()

/** Begins a step that may outlast the response. */
export const openStep = (name: string): EndStep => tracing?.openStep(name) ?? (() => {})

/** The ids of the current request; undefined without a trace. */
export const traceIds = (): TraceIds | undefined => tracing?.ids()
