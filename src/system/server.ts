/** Serves the app with Bun's HTTP server, and stops it without cutting off requests in progress. */
import type { Server } from "bun"
import { ApiError } from "../api/http/api-error.ts"
import { errorResponse, toApiError } from "../api/plugins/errors.ts"
import type { Observe } from "../api/plugins/observe.ts"
import { commonHeaders, contextOf, idleTimeoutSeconds } from "../api/plugins/request-context.ts"
import { describeError, type Log } from "./log/log.ts"
import { settleWithin } from "./text/settle-within.ts"

/** The part of an app that the server uses. */
export interface ServedApp {
  fetch(request: Request): Response | Promise<Response>
  /** Set to the server, which knows the address of a request's socket. */
  server: Server<unknown> | null
}

export interface ServerOptions {
  app: ServedApp
  hostname: string
  port: number
  /** Records each request, if requests are recorded. */
  observe?: Observe
  /** Whether the service is being stopped: then every response closes its connection. */
  isStopping: () => boolean
  log: Log
}

export interface RunningServer {
  /** The port it listens on. */
  port: number
  /**
   * Accepts no new connection, and resolves when all requests in progress have ended. After `graceMs` it
   * closes their connections.
   * @param onOverdue called before, to abort exports, which a plain end of the connection could complete
   */
  stop(graceMs: number, onOverdue?: () => void): Promise<void>
  /** Ends all connections at once. */
  close(): Promise<void>
}

/**
 * The time for aborted responses to end. Bun resets their connections when the clients read on, which shows
 * the cut. A client that does not read gets a normal close, which shows the cut except in HTTP/1.0.
 */
const abortMs = 1_000

export function startServer({
  app,
  hostname,
  port,
  observe = async (_request, respond) => respond(),
  isStopping,
  log,
}: ServerOptions): RunningServer {
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: idleTimeoutSeconds,
    // Otherwise Bun shows failures outside of `handle` on a page.
    development: false,
    // Otherwise other processes of the user could listen on the port too, with limits of their own.
    reusePort: false,
    error: () => errorResponse(new ApiError("INTERNAL")),
    // The service never reads a body, and Bun would send 413 beyond its limit.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: handle,
  })
  app.server = server

  async function handle(request: Request): Promise<Response> {
    try {
      ensureOrigin(request)
      const response = await observe(request, () => app.fetch(request))
      if (request.method === "HEAD") completeHead(response)
      if (isStopping()) response.headers.set("Connection", "close")
      return response
    } catch (error) {
      return failed(request, error)
    }
  }

  /** The app handles its own errors, so this error comes from the framework or its innermost hooks. */
  function failed(request: Request, error: unknown): Response {
    const context = contextOf(request)
    log.error("the server failed", { "mds.request_id": context.id, ...describeError(error) })
    return errorResponse(toApiError(error), commonHeaders(context))
  }

  return {
    port: server.port ?? port,
    stop: async (graceMs, onOverdue = () => {}) => {
      const drained = server.stop()
      if (await settles(drained, graceMs)) return
      onOverdue()
      if (await settles(drained, abortMs)) return
      await server.stop(true)
    },
    close: () => server.stop(true),
  }
}

/** Whether the promise is fulfilled in time. */
const settles = (promise: Promise<unknown>, withinMs: number): Promise<boolean> =>
  settleWithin(withinMs, promise, () => new Error("Requests are still in progress")).then(
    () => true,
    () => false,
  )

/**
 * Gives a response to HEAD the headers of the response to GET. Elysia sets the length of the omitted body,
 * also for a 304 and for an export, whose responses to GET have none. Bun sets `Date` on no bodiless response
 * but 304.
 */
function completeHead({ status, headers }: Response): void {
  if (status === 304 || headers.has("transfer-encoding")) headers.delete("content-length")
  if (status !== 304) headers.set("Date", new Date().toUTCString())
}

/**
 * Replaces an origin that Elysia cannot handle: it searches for the path from the twelfth character of a URL.
 * HTTP/1.0 without a valid Host gives only a path; a Host of up to three characters gives a short origin; one
 * like `a:99999` gives an invalid URL. No response depends on the origin. The request object stays the same,
 * because Bun finds its socket by it.
 */
function ensureOrigin(request: Request): void {
  const { url } = request
  if (/^https?:\/\/[^/]{4,}\//.test(url) && URL.canParse(url)) return
  const path = url.replace(/^https?:\/\/[^/]*/, "")
  const value = `http://localhost${path.startsWith("/") ? "" : "/"}${path}`
  Object.defineProperty(request, "url", { value })
}
