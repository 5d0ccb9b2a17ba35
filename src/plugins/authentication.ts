/**
 * Who is calling. Runs before anything else looks at the request, so a client without a valid token
 * gets 401 whatever the path, and 429 past the window of its address.
 */
import { bearer } from "@elysiajs/bearer"
import { Elysia } from "elysia"
import type { Credentials } from "../access/credentials.ts"
import { standardLimit } from "../access/plan.ts"
import type { Caller } from "../access/token-lookup.ts"
import { ApiError } from "../http/api-error.ts"
import { readBearer } from "../http/bearer-token.ts"
import { step } from "../telemetry/steps.ts"
import { exchangeField } from "./exchange.ts"
import { requireAdmitted, showWindow, type WindowOptions } from "./window-headers.ts"

export interface AuthenticationOptions extends WindowOptions {
  credentials: Credentials
}

/** Gives `caller`. @throws ApiError UNAUTHORIZED, RATE_LIMITED; Unavailable */
export const authentication = (options: AuthenticationOptions) => {
  const { credentials, windows, now } = options

  const callerOf = async (token: string | undefined, address: string): Promise<Caller | null> =>
    token ? step("authenticate", () => credentials.callerOf(token, now(), address)) : null

  return (
    new Elysia({ name: "authentication" })
      .use(exchangeField())
      // Reads `api_key`. The header is read here, because the plugin compares its scheme by case.
      .use(bearer({ extract: { header: "Bearer", query: "api_key", body: "" } }))

      .resolve(async ({ bearer, request, exchange }) => {
        const { address } = exchange
        const token = sentToken(request.headers.get("authorization"), bearer)
        const caller = await callerOf(token, address).catch(async (error: unknown) => {
          // The account is not known, so the headers show the window of the address.
          showWindow(exchange, await windows.addresses.peek(address, standardLimit), options)
          throw error
        })
        if (!caller) {
          const window = await windows.addresses.admit(address, standardLimit)
          requireAdmitted(exchange, window, options)
          throw unauthorized(token !== undefined)
        }
        exchange.accountId = caller.accountId
        exchange.tokenId = caller.tokenId
        exchange.isListed = true
        return { caller }
      })
      .as("scoped")
  )
}

/** The header takes precedence over `api_key`, even if it has no token. Undefined if none was sent. */
const sentToken = (authorization: string | null, apiKey: string | undefined) =>
  readBearer(authorization) ?? apiKey

const unauthorized = (tokenSent: boolean) =>
  new ApiError("UNAUTHORIZED", {
    headers: {
      "WWW-Authenticate": `Bearer realm="mds"${tokenSent ? ', error="invalid_token"' : ""}`,
    },
  })
