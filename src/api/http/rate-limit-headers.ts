/** The state of a caller's window. Without a limit, `limit` and `remaining` are infinite. */
export type WindowState = Readonly<{
  /** Whether this request was admitted, or for a peek, whether the next one would be. */
  admitted: boolean
  limit: number
  /** The number of further requests that would be admitted now. */
  remaining: number
  /** When the oldest counted request leaves the window, in milliseconds since 1970. */
  resetAtMs: number
}>

/** The value shown without a limit: the largest number that every client can parse. */
const shownWithoutLimit = 2_147_483_647

/**
 * Returns the headers that show a caller its limit.
 *
 * Only a rejected request has `Retry-After` (RFC 9110, section 10.2.3): at least 1, so that no client spins,
 * and not before the reset.
 */
export function toHeaders(state: WindowState, nowMs: number): Record<string, string> {
  const headers: Record<string, string> = {
    "X-RateLimit-Limit": String(shownCount(state.limit)),
    "X-RateLimit-Remaining": String(shownCount(state.remaining)),
    "X-RateLimit-Reset": String(toResetSeconds(state.resetAtMs)),
  }
  if (!state.admitted) {
    headers["Retry-After"] = String(Math.max(1, Math.ceil((state.resetAtMs - nowMs) / 1000)))
  }
  return headers
}

/** Returns the shown value of a limit or of the remaining requests, which is never infinite. */
export const shownCount = (count: number): number => Math.min(count, shownWithoutLimit)

/**
 * Converts to Unix seconds and rounds up, so that a client that sleeps until then is admitted. Headers and
 * `details.reset_at` both use it.
 */
export const toResetSeconds = (resetAtMs: number): number => Math.ceil(resetAtMs / 1000)
