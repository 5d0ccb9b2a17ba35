/** One line of the log for each request, once it is answered, and a row for its account. */
import { Elysia } from "elysia"
import type { RecentRequests } from "../access/recent-requests.ts"
import { withoutToken } from "../db/account-tables.ts"
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  splitTarget,
  withoutNeedlessEscapes,
} from "../http/query-string.ts"
import { type Log, withoutTokens } from "../log/log.ts"
import type { UnauthenticatedRequests } from "../log/unauthenticated-requests.ts"
import { contextFields } from "./request-context.ts"

export interface RequestLogOptions {
  log: Log
  unauthenticated: UnauthenticatedRequests
  recentRequests: Pick<RecentRequests, "record">
  now: () => Date
}

/** Probes and scrapers request these all the time: their lines would hide the others. */
const unlogged = ["/health/live", "/health/ready", "/metrics"]

/** Its pages count as requests of the account, without a token. */
const explorerPath = "/explore/"

/** How much of a path and of a query the log has, in characters. */
const loggedLength = 500

/** A URL that is longer is not kept in memory as a whole because of a part that is kept. */
const keptWhole = 1_000

export const requestLog = ({ log, unauthenticated, recentRequests, now }: RequestLogOptions) =>
  new Elysia({ name: "request-log" })
    .use(contextFields())
    .onAfterResponse(
      { as: "global" },
      ({
        request,
        path,
        requestId,
        startedMs,
        address,
        accountId,
        tokenId,
        responseValue,
        set,
      }) => {
        if (unlogged.includes(path)) return
        const status = Number(responseValue instanceof Response ? responseValue.status : set.status)
        if (accountId === 0 && !unauthenticated.count(status)) return
        const { method, url } = request
        const target = loggedTarget(url)
        const ms = Math.round((performance.now() - startedMs) * 10) / 10
        log.info("request", {
          request: requestId,
          method,
          ...target,
          status,
          ms,
          address,
          ...(accountId !== 0 && { account: accountId }),
        })
        if (accountId === 0) return
        if (tokenId === withoutToken && !path.startsWith(explorerPath)) return
        const atMs = now().getTime() - ms
        const recent = {
          requestId,
          tokenId,
          atMs,
          method,
          target: recentTarget(target, url),
          status,
          ms,
        }
        recentRequests.record(accountId, recent)
      },
    )

function recentTarget({ path, query }: { path: string; query: string }, url: string): string {
  const shown = query === "" ? path : `${path}?${query}`
  // A token may be sent under a wrong name. The search costs other requests next to nothing.
  const target = shown.includes("mds_") ? withoutTokens(shown) : shown
  // A piece of a string keeps the whole string in memory.
  return url.length <= keptWhole ? target : Buffer.from(target).toString()
}

/** Parameters whose values are secrets: tokens, and one-time links for signing in. */
const unloggedParameters = ["api_key", "link"]

/** The path and the query without secrets, both cut. */
function loggedTarget(url: string): { path: string; query: string } {
  const { path, query } = splitTarget(url.slice(url.indexOf("/", url.indexOf("//") + 2)))
  if (query === "" && !path.includes("%")) return { path: path.slice(0, loggedLength), query }
  const shown = decodeQuery(query).filter(({ name }) => !unloggedParameters.includes(name))
  const cut = (text: string) => withoutNeedlessEscapes(text).slice(0, loggedLength)
  return {
    path: cut(decodeComponent(path) ?? path),
    query: cut(encodeQuery(shown.map(({ name, value }) => [name, value ?? ""]))),
  }
}
