/** The state of a window for its caller. Without a limit, `limit` and `remaining` are infinite. */
export type WindowState = Readonly<{
  /** Whether this request was admitted; of a peek, whether the next one would be. */
  admitted: boolean
  limit: number
  /** How many more would be admitted now, after this request. */
  remaining: number
  /** When the oldest counted request leaves the window, in milliseconds since 1970. */
  resetAtMs: number
}>

/** Written if there is no limit: the largest number that every client can parse. */
const shownWithoutLimit = 2_147_483_647

/**
 * The headers that show a caller its limit, all computed from one state, so that they cannot disagree.
 *
 * `RateLimit-Policy` and `RateLimit` follow draft-ietf-httpapi-ratelimit-headers-11: a list of one
 * policy, its name a quoted string, with `q` requests per `w` seconds, `r` left for the next `t`
 * seconds. `Retry-After` (RFC 9110, section 10.2.3) is there only when the request was denied, is at
 * least 1 so that no client spins, and is never before `t` ends.
 */
export function toHeaders(
  state: WindowState,
  windowMs: number,
  nowMs: number,
): Record<string, string> {
  const limit = shownCount(state.limit)
  const remaining = shownCount(state.remaining)
  const windowSeconds = Math.max(1, Math.ceil(windowMs / 1000))
  const waitSeconds = Math.max(0, Math.ceil((state.resetAtMs - nowMs) / 1000))
  const headers: Record<string, string> = {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(toResetSeconds(state.resetAtMs)),
    "RateLimit-Policy": `"default";q=${limit};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${waitSeconds}`,
  }
  if (!state.admitted) headers["Retry-After"] = String(Math.max(1, waitSeconds))
  return headers
}

/** A limit, or what remains of it, as it is shown: never infinite. */
export const shownCount = (count: number): number => Math.min(count, shownWithoutLimit)

/**
 * Unix seconds, rounded up, so that a client that sleeps until then is admitted. The error's
 * `details.reset_at` is this number too.
 */
export const toResetSeconds = (resetAtMs: number): number => Math.ceil(resetAtMs / 1000)
