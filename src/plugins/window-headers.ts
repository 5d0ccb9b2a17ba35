import type { Windows } from "../access/windows.ts"
import { rateLimited } from "../http/api-error.ts"
import { toHeaders, toResetSeconds, type WindowState } from "../http/rate-limit-headers.ts"

type ResponseHeaders = Record<string, string | number>

/** How plugins show a window in the headers of a response, whatever comes of the request. */
export function createWindowHeaders(windows: Windows, now: () => Date) {
  const show = (state: WindowState, headers: ResponseHeaders): void => {
    Object.assign(headers, toHeaders(state, windows.windowMs, now().getTime()))
  }
  return {
    show,
    /** @throws ApiError RATE_LIMITED if the request was not admitted */
    showAdmitted: (state: WindowState, headers: ResponseHeaders): void => {
      show(state, headers)
      if (!state.admitted) throw rateLimited(toResetSeconds(state.resetAtMs))
    },
  }
}
