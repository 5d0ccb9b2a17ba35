/** The state of a request that its response, its error and its log line share. */
import type { Server } from "bun"
import { Elysia } from "elysia"
import type { Windows } from "../../accounts/access/windows.ts"
import { withoutToken } from "../../data/db/account-tables.ts"
import type { Turns } from "../../data/db/pool/turns.ts"
import { type ErrorCode, rateLimited } from "../http/api-error.ts"
import { clientAddress } from "../http/client-address.ts"
import { toHeaders, toResetSeconds, type WindowState } from "../http/rate-limit-headers.ts"
import { apiHeaders, pageHeaders } from "../http/response-headers.ts"

export interface RequestContext {
  /** Identifies the request in the response and in the log. */
  id: string
  /** The value of `performance.now()` at the start. */
  startedMs: number
  /** Whether the path belongs to the API: then the client is a program. */
  isApi: boolean
  /** The client's address, from the socket or the trusted proxies; empty without a server. */
  address: string
  /** The pattern of the matched route; undefined without one. */
  route: string | undefined
  /** The response headers that do not follow from the content: the request id and the state of a window. */
  headers: Record<string, string>
  /** The account of the caller or of the signed-in person; 0 without either. */
  accountId: number
  /** The token of the caller; `withoutToken` without a valid one. */
  tokenId: number
  /** Whether the recent requests of the account include it. */
  isListed: boolean
  /** The code of the error in its response; empty without one. */
  errorCode: ErrorCode | ""
  /** Frees the place of the request among those of its account. */
  end: () => void
}

const contexts = new WeakMap<Request, RequestContext>()

/** Returns the context of a request. The first call begins it. */
export function contextOf(request: Request): RequestContext {
  const begun = contexts.get(request)
  if (begun) return begun
  const id = crypto.randomUUID()
  const context: RequestContext = {
    id,
    startedMs: performance.now(),
    isApi: /^https?:\/\/[^/]*\/api\/v1(?:[/?]|$)/.test(request.url),
    address: "",
    route: undefined,
    headers: { "X-Request-Id": id },
    accountId: 0,
    tokenId: withoutToken,
    isListed: false,
    errorCode: "",
    end: () => {},
  }
  contexts.set(request, context)
  return context
}

/** The time without traffic after which the server closes a connection. */
export const idleTimeoutSeconds = 60

/**
 * Lifts the idle timeout of a request's connection.
 * @returns sets it again. Bun ignores that after the response, and would then never close the connection
 */
export function liftIdleTimeout(server: Server<unknown> | null, request: Request): () => void {
  server?.timeout(request, 0)
  return () => server?.timeout(request, idleTimeoutSeconds)
}

/** Returns the response headers that do not follow from the content. */
export const commonHeaders = ({ isApi, headers }: RequestContext): Record<string, string> => ({
  ...(isApi ? apiHeaders : pageHeaders),
  ...headers,
})

/**
 * Begins the context, and sets the headers of every response outside of the API. Only `onRequest` runs for
 * unknown paths too.
 */
export const requestContext = ({ trustedProxies }: { trustedProxies: number }) =>
  new Elysia({ name: "request-context" })
    .onRequest(({ request, server, set }) => {
      const own = contextOf(request)
      const forwardedFor = trustedProxies > 0 ? request.headers.get("x-forwarded-for") : null
      const socketAddress = server?.requestIP(request)?.address ?? ""
      own.address = clientAddress(socketAddress, forwardedFor, trustedProxies)
      if (!own.isApi) Object.assign(set.headers, commonHeaders(own))
    })
    .onTransform({ as: "global" }, ({ request, route }) => {
      contextOf(request).route = route
    })

export interface WindowOptions {
  windows: Windows
  /** Limits the requests of each account at once. */
  requestTurns: Pick<Turns, "take">
  now: () => Date
}

/** Sets the headers of a window for any response to the request. */
export function showWindow(
  { headers }: RequestContext,
  state: WindowState,
  { now }: Pick<WindowOptions, "now">,
): void {
  Object.assign(headers, toHeaders(state, now().getTime()))
}

/** Sets the headers of a window. @throws ApiError RATE_LIMITED if the request was not admitted */
export function requireAdmitted(
  context: RequestContext,
  state: WindowState,
  options: WindowOptions,
): void {
  showWindow(context, state, options)
  if (!state.admitted) throw rateLimited(toResetSeconds(state.resetAtMs))
}
