/** What tracing offers, whichever library does it. */
import type { CallerContext, TraceContext } from "./trace-context.ts"

/** What is undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface SpanOptions {
  /** `client` for a call of another server. */
  kind: "server" | "client" | "internal"
  attributes?: Attributes
}

export interface SpanEnd {
  /** In place of the name that it began with. */
  name?: string
  attributes?: Attributes
  /** `error.type`, where it failed. */
  errorType?: string
  /** By `performance.now()`; now by default. */
  atMs?: number
}

export interface Span {
  readonly context: TraceContext
  startChild(name: string, options: SpanOptions): Span
  end(end?: SpanEnd): void
}

export interface SpanReadings {
  exported: number
  /** Not sent: the queue was full, or the collector did not accept them. */
  dropped: number
  /** Whether the collector accepted the last ones that were sent. */
  isAccepted: boolean
}

export interface Tracer {
  /** Starts the span of a request, in the trace of its caller where it has one. */
  startRequest(name: string, caller: CallerContext | null, options: SpanOptions): Span
  readings(): SpanReadings
  /** Sends what is queued, for at most so long. Never rejects. */
  close(withinMs: number): Promise<void>
}
