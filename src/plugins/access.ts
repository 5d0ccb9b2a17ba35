/**
 * Who is calling, and whether they may now: first the token, then the window of its account, or of
 * the address where there is no valid token. Runs before anything else looks at the request, so an
 * anonymous caller gets 401 whatever the path, and a limited one 429 whatever the parameters.
 */
import { bearer } from "@elysiajs/bearer"
import { Elysia } from "elysia"
import type { Credentials } from "../access/credentials.ts"
import { standardLimit } from "../access/plan.ts"
import type { WindowState, WindowStore } from "../access/sliding-window.ts"
import { ApiError } from "../http/api-error.ts"
import { readBearer } from "../http/bearer-token.ts"
import { toHeaders, toResetSeconds } from "../http/rate-limit-headers.ts"
import { describeError, type Log } from "../log.ts"
import { exchangeOf } from "./exchange.ts"

export interface AccessOptions {
  credentials: Credentials
  /** Of accounts, which no stranger can choose, apart from those of addresses, which anyone can. */
  windows: { accounts: WindowStore; addresses: WindowStore; windowMs: number }
  now: () => Date
  log: Log
}

/** Gives `caller`. @throws ApiError UNAUTHORIZED, RATE_LIMITED; Unavailable */
export const access = ({ credentials, windows, now, log }: AccessOptions) =>
  new Elysia({ name: "access" })
    // It reads `api_key`. The header is read by ourselves: the plugin compares its scheme by case.
    .use(bearer({ extract: { header: "Bearer", query: "api_key", body: "" } }))

    .derive({ as: "scoped" }, async ({ bearer, headers, request, set }) => {
      const exchange = exchangeOf(request)
      const nowMs = now().getTime()
      // What is shown should the look-up fail: the one window that is known so far.
      const known = windows.addresses.peek(exchange.address, standardLimit, nowMs)
      setHeaders(set.headers, known, windows.windowMs, nowMs)

      const header = readBearer(headers.authorization ?? null)
      const token = header.kind === "bearer" ? header.token : header.kind === "none" ? bearer : ""
      const caller = token ? await credentials.callerOf(token, now()) : null
      if (caller) {
        exchange.caller = caller
        credentials.noteUse(caller.tokenId, now()).catch((error: unknown) => {
          log.warn("a token's last use was not noted", describeError(error))
        })
      }
      return { holder: caller, tokenSent: token !== undefined }
    })

    .derive({ as: "scoped" }, ({ holder, tokenSent, request, set }) => {
      const nowMs = now().getTime()
      const state = holder
        ? windows.accounts.admit(String(holder.accountId), holder.limit, nowMs)
        : windows.addresses.admit(exchangeOf(request).address, standardLimit, nowMs)
      setHeaders(set.headers, state, windows.windowMs, nowMs)
      if (!state.admitted) throw rateLimited(state)
      if (!holder) throw unauthorized(tokenSent)
      return { caller: holder }
    })

function setHeaders(
  headers: Record<string, string | number>,
  state: WindowState,
  windowMs: number,
  nowMs: number,
): void {
  for (const [name, value] of Object.entries(toHeaders(state, windowMs, nowMs))) {
    headers[name] = value
  }
}

const rateLimited = ({ resetAtMs }: WindowState) =>
  new ApiError("RATE_LIMITED", { details: { reset_at: toResetSeconds(resetAtMs) } })

const unauthorized = (tokenSent: boolean) =>
  new ApiError("UNAUTHORIZED", {
    headers: {
      "WWW-Authenticate": `Bearer realm="mds"${tokenSent ? ', error="invalid_token"' : ""}`,
    },
  })
