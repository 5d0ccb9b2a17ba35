import type { Windows } from "../access/windows.ts"
import { rateLimited } from "../http/api-error.ts"
import { toHeaders, toResetSeconds, type WindowState } from "../http/rate-limit-headers.ts"
import type { Exchange } from "./exchange.ts"

export interface WindowOptions {
  windows: Windows
  now: () => Date
}

/** Shows a window in the headers of the response, whatever comes of the request. */
export function showWindow(
  { headers }: Exchange,
  state: WindowState,
  { windows, now }: WindowOptions,
): void {
  Object.assign(headers, toHeaders(state, windows.windowMs, now().getTime()))
}

/** The same. @throws ApiError RATE_LIMITED if the request was not admitted */
export function requireAdmitted(
  exchange: Exchange,
  state: WindowState,
  options: WindowOptions,
): void {
  showWindow(exchange, state, options)
  if (!state.admitted) throw rateLimited(toResetSeconds(state.resetAtMs))
}
