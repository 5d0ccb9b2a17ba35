/** The headers `traceparent` and `tracestate` (W3C Trace Context). What is malformed is ignored. */

/** A span as other programs name it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** Whether the trace is recorded. */
  isSampled: boolean
}

/** The context of a caller, with what other systems added to it. */
export interface CallerContext extends TraceContext {
  state: string | undefined
}

/**
 * Later versions may append further parts. Neither id is all zeros, and version ff is none; upper case is
 * not allowed.
 */
const traceparent =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

const sampledFlag = 1

/** The least that must be passed on; what is longer may be dropped. */
const maxStateLength = 512

/** Null without a valid `traceparent`. */
export function readTraceContext({ headers }: Pick<Request, "headers">): CallerContext | null {
  const sent = headers.get("traceparent")
  if (sent === null) return null
  const [, version, traceId, spanId, flags = "", more] = traceparent.exec(sent) ?? []
  if (traceId === undefined || spanId === undefined) return null
  if (version === "00" && more !== undefined) return null
  const isSampled = (Number.parseInt(flags, 16) & sampledFlag) !== 0
  return { traceId, spanId, isSampled, state: shownState(headers.get("tracestate")) }
}

/** What looks like an API token is not passed on. */
const shownState = (state: string | null): string | undefined =>
  state !== null && state.length <= maxStateLength && !state.includes("mds_") ? state : undefined

/** The value of `traceparent` and `traceresponse` for a span. */
export const traceHeader = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`
