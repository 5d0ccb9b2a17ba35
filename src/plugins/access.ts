/**
 * Who is calling, and whether they may now: first the token, then the window of its account, or of
 * the address where there is no valid token. Runs before anything else looks at the request, so an
 * anonymous caller gets 401 whatever the path, and a limited one 429 whatever the parameters.
 */
import { bearer } from "@elysiajs/bearer"
import { Elysia } from "elysia"
import type { Caller, Credentials } from "../access/credentials.ts"
import { standardLimit } from "../access/plan.ts"
import type { Usage } from "../access/usage.ts"
import type { WindowState } from "../access/window/sliding-window.ts"
import type { Windows } from "../access/windows.ts"
import { ApiError } from "../http/api-error.ts"
import { readBearer } from "../http/bearer-token.ts"
import { toHeaders, toResetSeconds } from "../http/rate-limit-headers.ts"
import { exchangeOf } from "./exchange.ts"

export interface AccessOptions {
  credentials: Credentials
  windows: Windows
  usage: Usage
  now: () => Date
  /** Is told why a token's last use could not be written. */
  onUseNotNoted: (error: unknown) => void
}

/** Gives `caller`. The request counts. @throws ApiError UNAUTHORIZED, RATE_LIMITED; Unavailable */
export const access = (options: AccessOptions) => accessPlugin("access", options, true)

/**
 * The same for what tells callers where they stand: a valid token's request does not count, but against
 * a bound of its own, as large as the window.
 */
export const uncountedAccess = (options: AccessOptions) =>
  accessPlugin("uncounted-access", options, false)

const accessPlugin = (
  name: string,
  { credentials, windows, usage, now, onUseNotNoted }: AccessOptions,
  counts: boolean,
) => {
  async function knownCaller(token: string | undefined, address: string): Promise<Caller | null> {
    const isSuspect = () => !windows.addresses.own(address, standardLimit).admitted
    const caller = token ? await credentials.callerOf(token, now(), isSuspect) : null
    if (caller) credentials.noteUse(caller.tokenId, now()).catch(onUseNotNoted)
    return caller
  }

  return (
    new Elysia({ name })
      // Reads `api_key`. The header is read by ourselves, for the plugin compares its scheme by case.
      .use(bearer({ extract: { header: "Bearer", query: "api_key", body: "" } }))

      .derive({ as: "scoped" }, async ({ bearer, headers, request, set }) => {
        const exchange = exchangeOf(request)
        const show = (state: WindowState): void => {
          Object.assign(set.headers, toHeaders(state, windows.windowMs, now().getTime()))
        }
        const token = sentToken(headers.authorization, bearer)
        const caller = await knownCaller(token, exchange.address).catch((error: unknown) => {
          // Whose window it is stays unknown: the address's is the one that can be shown.
          show(windows.addresses.own(exchange.address, standardLimit))
          throw error
        })
        if (!caller) {
          const state = await windows.addresses.admit(exchange.address, standardLimit)
          show(state)
          throw state.admitted ? unauthorized(token !== undefined) : rateLimited(state)
        }
        exchange.caller = caller
        const { accountId, limit } = caller
        if (!counts) {
          const [window, bound] = await Promise.all([
            windows.accounts.peek(String(accountId), limit),
            windows.accounts.admit(`uncounted:${accountId}`, limit),
          ])
          show(bound.admitted ? { ...window, admitted: true } : bound)
          if (!bound.admitted) throw rateLimited(bound)
          return { caller, window }
        }
        const window = await windows.accounts.admit(String(accountId), limit)
        show(window)
        if (!window.admitted) throw rateLimited(window)
        usage.count(accountId, now())
        return { caller, window }
      })
  )
}

/** A header decides over `api_key`, whatever it holds. Undefined: none was sent. */
function sentToken(authorization: string | undefined, apiKey: string | undefined) {
  const header = readBearer(authorization ?? null)
  if (header.kind === "none") return apiKey
  return header.kind === "bearer" ? header.token : ""
}

const rateLimited = ({ resetAtMs }: WindowState) =>
  new ApiError("RATE_LIMITED", { details: { reset_at: toResetSeconds(resetAtMs) } })

const unauthorized = (tokenSent: boolean) =>
  new ApiError("UNAUTHORIZED", {
    headers: {
      "WWW-Authenticate": `Bearer realm="mds"${tokenSent ? ', error="invalid_token"' : ""}`,
    },
  })
