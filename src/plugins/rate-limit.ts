/** Whether the account may make this request now, by its sliding window. */
import { Elysia } from "elysia"
import type { Usage } from "../access/usage.ts"
import type {
  ListContext,
  ListPreparation,
  PreparedList,
  RequestedList,
} from "../answers/prepare-list.ts"
import { ApiError } from "../http/api-error.ts"
import { step } from "../telemetry/steps.ts"
import { type AuthenticationOptions, authentication } from "./authentication.ts"
import { endpointOfRoute } from "./endpoint-of-route.ts"
import { formatOf } from "./negotiation.ts"
import { targetOf } from "./request-target.ts"
import { createWindowHeaders } from "./window-headers.ts"

export interface RateLimitOptions extends AuthenticationOptions {
  usage: Usage
  lists: ListPreparation
}

/**
 * Counts the request and gives `window`; and gives `preparedList` where Redis was asked, since what the
 * list asks it goes in the same round trip. @throws ApiError RATE_LIMITED
 */
export const rateLimit = (options: RateLimitOptions) => {
  const { windows, usage, lists, now } = options
  const { showAdmitted } = createWindowHeaders(windows, now)
  return new Elysia({ name: "rate-limit" })
    .use(authentication(options))
    .use(endpointOfRoute())
    .resolve(async ({ caller, address, request, requestedList, set }) => {
      const { accountId, tokenId, limit } = caller
      let preparedList: PreparedList | undefined
      const attach = () => {
        preparedList = prepareAhead(lists, { caller, address }, request, requestedList)
        return preparedList && lists.attach(preparedList)
      }
      const window = await step("limit", () =>
        windows.accounts.admit(String(accountId), limit, attach),
      )
      showAdmitted(window, set.headers)
      usage.count(accountId, tokenId, now())
      return { window, preparedList }
    })
    .as("scoped")
}

/** Undefined where the request has a fault: what comes after its admission reports that. */
function prepareAhead(
  lists: ListPreparation,
  from: Pick<ListContext, "caller" | "address">,
  request: Request,
  list: RequestedList | undefined,
): PreparedList | undefined {
  if (!list) return undefined
  try {
    return lists.prepare({ ...from, ...targetOf(request), format: formatOf(request) }, list)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/**
 * Gives `window` without counting the request against it, for the endpoint that reports it. Such
 * requests have a bound of their own, of the same size; its headers are shown once it is exceeded.
 * @throws ApiError RATE_LIMITED
 */
export const uncountedRateLimit = (options: AuthenticationOptions) => {
  const { windows, now } = options
  const { showAdmitted } = createWindowHeaders(windows, now)
  return new Elysia({ name: "uncounted-rate-limit" })
    .use(authentication(options))
    .resolve(async ({ caller: { accountId, limit }, set }) => {
      const [window, bound] = await Promise.all([
        windows.accounts.peek(String(accountId), limit),
        windows.accounts.admit(`uncounted:${accountId}`, limit),
      ])
      showAdmitted(bound.admitted ? { ...window, admitted: true } : bound, set.headers)
      return { window }
    })
    .as("scoped")
}
