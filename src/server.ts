/**
 * The app behind Bun's HTTP server: gives each request its Exchange, logs it when it is answered,
 * and stops without cutting off what is under way.
 */
import type { createApp } from "./app.ts"
import { ApiError } from "./http/api-error.ts"
import { clientAddress } from "./http/client-address.ts"
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  splitTarget,
  withoutNeedlessEscapes,
} from "./http/query-string.ts"
import { describeError, type Log } from "./log/log.ts"
import type { UnauthenticatedRequests } from "./log/unauthenticated-requests.ts"
import { errorResponse, toApiError } from "./plugins/errors.ts"
import { beginExchange, type Exchange } from "./plugins/exchange.ts"

export interface ServerOptions {
  app: ReturnType<typeof createApp>
  hostname: string
  port: number
  trustedProxies: number
  unauthenticated: UnauthenticatedRequests
  /** Whether the service is being stopped: then every answer is the last of its connection. */
  isStopping: () => boolean
  log: Log
}

export interface RunningServer {
  /** The port it listens on. */
  port: number
  /** Takes no new connection, and ends when all that is under way has ended or `graceMs` are over. */
  stop(graceMs: number): Promise<void>
}

const idleTimeoutSeconds = 60

/** Of a path and of a query in the log, in characters. */
const loggedLength = 500

export function startServer({
  app,
  hostname,
  port,
  trustedProxies,
  unauthenticated,
  isStopping,
  log,
}: ServerOptions): RunningServer {
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: idleTimeoutSeconds,
    // A failure outside `handle` would otherwise be answered with a page that shows it.
    development: false,
    error: () => errorResponse(new ApiError("INTERNAL")),
    // A body is never read, so one of any size is answered as one of no size is: with 405.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: handle,
  })

  async function handle(received: Request, bun: Bun.Server<undefined>): Promise<Response> {
    const id = crypto.randomUUID()
    try {
      const request = withOrigin(received)
      const exchange: Exchange = {
        id,
        startedMs: performance.now(),
        address: clientAddress(
          bun.requestIP(received)?.address ?? "",
          received.headers.get("x-forwarded-for"),
          trustedProxies,
        ),
        liftIdleTimeout: () => bun.timeout(received, 0),
      }
      beginExchange(request, exchange)
      const response = await answer(request, exchange)
      if (isStopping()) response.headers.set("Connection", "close")
      logRequest(request, exchange, response)
      return response
    } catch (error) {
      return failed(id, error)
    }
  }

  async function answer(request: Request, { id }: Exchange): Promise<Response> {
    try {
      return withTrueLength(request, await app.fetch(request))
    } catch (error) {
      return failed(id, error)
    }
  }

  function failed(id: string, error: unknown): Response {
    log.error("the server failed", { request: id, ...describeError(error) })
    const response = errorResponse(toApiError(error))
    response.headers.set("X-Request-Id", id)
    return response
  }

  function logRequest(request: Request, exchange: Exchange, { status }: Response): void {
    if (!exchange.caller && !unauthenticated.count(status)) return
    log.info("request", {
      request: exchange.id,
      method: request.method,
      ...loggedTarget(request.url),
      status,
      ms: Math.round((performance.now() - exchange.startedMs) * 10) / 10,
      address: exchange.address,
      ...(exchange.caller && { account: exchange.caller.accountId }),
    })
  }

  return {
    port: server.port ?? port,
    stop: async (graceMs) => {
      const drained = server.stop()
      const overdue = Symbol()
      const timer = Promise.withResolvers<typeof overdue>()
      const timeout = setTimeout(() => timer.resolve(overdue), graceMs)
      if ((await Promise.race([drained, timer.promise])) === overdue) await server.stop(true)
      clearTimeout(timeout)
    },
  }
}

/** The path and the query without `api_key`, both cut. */
function loggedTarget(url: string): { path: string; query: string } {
  const { path, query } = splitTarget(url.slice(new URL(url).origin.length))
  const shown = decodeQuery(query).filter(({ name }) => name !== "api_key")
  const cut = (text: string) => withoutNeedlessEscapes(text).slice(0, loggedLength)
  return {
    path: cut(decodeComponent(path) ?? path),
    query: cut(encodeQuery(shown.map(({ name, value }) => [name, value ?? ""]))),
  }
}

/**
 * Elysia states the length of what HEAD leaves out, and says 0 of an export, which HEAD does not
 * begin. No answer with data is empty, so that one is given the framing that GET would have.
 */
function withTrueLength({ method }: Request, response: Response): Response {
  const { ok, headers } = response
  if (method === "HEAD" && ok && headers.get("content-length") === "0") {
    headers.delete("content-length")
    headers.set("transfer-encoding", "chunked")
  }
  return response
}

/**
 * Elysia looks for the path from the twelfth character of a URL on. HTTP/1.0 without a Host, or with
 * a Host that is none, gives a URL that is a path alone; a Host of up to three characters gives one
 * too short; one like `a:99999` gives one that is no URL. All are given an origin that is a sound
 * one and long enough; no answer depends on it.
 */
function withOrigin(request: Request): Request {
  const { url, method, headers } = request
  if (/^https?:\/\/[^/]{4,}\//.test(url) && URL.canParse(url)) return request
  const path = url.replace(/^https?:\/\/[^/]*/, "")
  return new Request(`http://localhost${path.startsWith("/") ? "" : "/"}${path}`, {
    method,
    headers,
  })
}
