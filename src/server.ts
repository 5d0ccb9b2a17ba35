/** The app behind Bun's HTTP server, which it stops without cutting off the requests in progress. */
import type { Server } from "bun"
import { ApiError } from "./http/api-error.ts"
import { describeError, type Log } from "./log/log.ts"
import { errorResponse, toApiError } from "./plugins/errors.ts"
import { commonHeaders, exchangeOf } from "./plugins/exchange.ts"
import { settleWithin } from "./text/settle-within.ts"

/** What the server needs of an app. */
export interface ServedApp {
  fetch(request: Request): Response | Promise<Response>
  /** Set to the server, which knows the address of a request's socket. */
  server: Server<unknown> | null
}

export interface ServerOptions {
  app: ServedApp
  hostname: string
  port: number
  /** Whether the service is being stopped: then every response is the last of its connection. */
  isStopping: () => boolean
  log: Log
}

export interface RunningServer {
  /** The port it listens on. */
  port: number
  /**
   * Accepts no new connection, and returns when all requests in progress have ended. After `graceMs`
   * they are cut off.
   * @param onOverdue called then, to abort responses whose cut a plain end of the connection would hide
   */
  stop(graceMs: number, onOverdue?: () => void): Promise<void>
  /** Ends all connections at once. */
  close(): Promise<void>
}

const idleTimeoutSeconds = 60
/**
 * How long aborted responses may take to end. Bun resets the connection of one when its client reads
 * on, which tells the client that the response was cut off. A client that reads nothing for so long
 * gets a normal close, which reveals that too, except in HTTP/1.0, where it may end a whole response.
 */
const abortMs = 1_000

export function startServer({
  app,
  hostname,
  port,
  isStopping,
  log,
}: ServerOptions): RunningServer {
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: idleTimeoutSeconds,
    // A failure outside `handle` would otherwise be answered with a page that shows it.
    development: false,
    // Otherwise Bun lets other processes of the user listen on the port too: each would have limits of its own.
    reusePort: false,
    error: () => errorResponse(new ApiError("INTERNAL")),
    // A body is never read, so its size must not change the response: Bun would send 413 beyond its
    // limit.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: handle,
  })
  app.server = server

  async function handle(request: Request): Promise<Response> {
    try {
      ensureOrigin(request)
      const response = await app.fetch(request)
      if (request.method === "HEAD") completeHead(response)
      if (isStopping()) response.headers.set("Connection", "close")
      return response
    } catch (error) {
      return failed(request, error)
    }
  }

  /** The app handles its own errors, so this one comes from the framework or its innermost hooks. */
  function failed(request: Request, error: unknown): Response {
    const exchange = exchangeOf(request)
    log.error("the server failed", { "mds.request_id": exchange.id, ...describeError(error) })
    return errorResponse(toApiError(error), commonHeaders(exchange))
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
 * Gives a response to HEAD the headers of the one to GET. Elysia states the length of the body that
 * it leaves out, and 0 for a 304 and for an export, which HEAD does not start. No response with data
 * is empty, so that one gets the framing that GET would have. Bun dates no response without a body
 * but a 304.
 */
function completeHead({ status, ok, headers }: Response): void {
  if (headers.get("content-length") === "0") {
    headers.delete("content-length")
    if (ok) headers.set("transfer-encoding", "chunked")
  }
  if (status !== 304) headers.set("Date", new Date().toUTCString())
}

/**
 * Elysia looks for the path from the twelfth character of a URL on. HTTP/1.0 without a Host, or
 * with an invalid one, gives a URL that is only a path; a Host of up to three characters gives one
 * that is too short; one like `a:99999` gives one that is no URL. All get a valid origin that is
 * long enough; no response depends on it. The request itself is changed, because Bun finds the
 * socket by it.
 */
function ensureOrigin(request: Request): void {
  const { url } = request
  if (/^https?:\/\/[^/]{4,}\//.test(url) && URL.canParse(url)) return
  const path = url.replace(/^https?:\/\/[^/]*/, "")
  const value = `http://localhost${path.startsWith("/") ? "" : "/"}${path}`
  Object.defineProperty(request, "url", { value })
}
