/** One line of the log for each request, once it is answered. */
import { Elysia } from "elysia"
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  splitTarget,
  withoutNeedlessEscapes,
} from "../http/query-string.ts"
import type { Log } from "../log/log.ts"
import type { UnauthenticatedRequests } from "../log/unauthenticated-requests.ts"
import { contextFields } from "./request-context.ts"

export interface RequestLogOptions {
  log: Log
  unauthenticated: UnauthenticatedRequests
}

/** Probes and scrapers request these all the time: their lines would hide the others. */
const unlogged = ["/health/live", "/health/ready", "/metrics"]

/** Of a path and of a query in the log, in characters. */
const loggedLength = 500

export const requestLog = ({ log, unauthenticated }: RequestLogOptions) =>
  new Elysia({ name: "request-log" })
    .use(contextFields())
    .onAfterResponse(
      { as: "global" },
      ({ request, path, requestId, startedMs, address, accountId, responseValue, set }) => {
        if (unlogged.includes(path)) return
        const status = responseValue instanceof Response ? responseValue.status : set.status
        if (accountId === 0 && !unauthenticated.count(Number(status))) return
        log.info("request", {
          request: requestId,
          method: request.method,
          ...loggedTarget(request.url),
          status,
          ms: Math.round((performance.now() - startedMs) * 10) / 10,
          address,
          ...(accountId !== 0 && { account: accountId }),
        })
      },
    )

/** The path and the query without `api_key`, both cut. */
function loggedTarget(url: string): { path: string; query: string } {
  const { path, query } = splitTarget(url.slice(url.indexOf("/", url.indexOf("//") + 2)))
  if (query === "" && !path.includes("%")) return { path: path.slice(0, loggedLength), query }
  const shown = decodeQuery(query).filter(({ name }) => name !== "api_key")
  const cut = (text: string) => withoutNeedlessEscapes(text).slice(0, loggedLength)
  return {
    path: cut(decodeComponent(path) ?? path),
    query: cut(encodeQuery(shown.map(({ name, value }) => [name, value ?? ""]))),
  }
}
