/** Admits a request in the sliding window of its account, or rejects it. */
import { Elysia } from "elysia"
import type { Usage } from "../../accounts/access/usage.ts"
import { type AuthenticationOptions, authentication } from "./authentication.ts"
import { contextOf, requireAdmitted } from "./request-context.ts"

export interface RateLimitOptions extends AuthenticationOptions {
  usage: Usage
}

/** Counts the request and gives `window`. @throws ApiError RATE_LIMITED; Overloaded */
export const rateLimit = (options: RateLimitOptions) => {
  const { windows, usage, requestTurns, now } = options
  return new Elysia({ name: "rate-limit" })
    .use(authentication(options))
    .resolve(async ({ caller, request }) => {
      const { accountId, limit } = caller
      const context = contextOf(request)
      const window = await windows.accounts.admit(String(accountId), limit)
      requireAdmitted(context, window, options)
      usage.count(caller, now())
      context.end = await requestTurns.take(accountId)
      return { window }
    })
    .as("scoped")
}

/**
 * Gives `window` without counting the request against it, for the endpoint that reports it. Such requests
 * have a separate window of the same size. The headers show that window once it is exceeded.
 * @throws ApiError RATE_LIMITED; Overloaded
 */
export const uncountedRateLimit = (options: AuthenticationOptions) => {
  const { windows, requestTurns } = options
  return new Elysia({ name: "uncounted-rate-limit" })
    .use(authentication(options))
    .resolve(async ({ caller: { accountId, limit }, request }) => {
      const context = contextOf(request)
      const [window, bound] = await Promise.all([
        windows.accounts.peek(String(accountId), limit),
        windows.accounts.admit(`uncounted:${accountId}`, limit),
      ])
      const shown = bound.admitted ? { ...window, admitted: true } : bound
      requireAdmitted(context, shown, options)
      context.end = await requestTurns.take(accountId)
      return { window }
    })
    .as("scoped")
}
