/**
 * Who is calling. Runs before anything else looks at the request, so a client without a valid token
 * gets 401 whatever the path, and 429 past the window of its address.
 */
import { bearer } from "@elysiajs/bearer"
import { Elysia } from "elysia"
import type { Credentials } from "../access/credentials.ts"
import { standardLimit } from "../access/plan.ts"
import type { Caller } from "../access/token-lookup.ts"
import type { Windows } from "../access/windows.ts"
import { ApiError } from "../http/api-error.ts"
import { readBearer } from "../http/bearer-token.ts"
import { step } from "../telemetry/steps.ts"
import { contextFields } from "./request-context.ts"
import { createWindowHeaders } from "./window-headers.ts"

export interface AuthenticationOptions {
  credentials: Credentials
  windows: Windows
  now: () => Date
}

/** Gives `caller`. @throws ApiError UNAUTHORIZED, RATE_LIMITED; Unavailable */
export const authentication = (options: AuthenticationOptions) => {
  const { credentials, windows, now } = options
  const window = createWindowHeaders(windows, now)

  const callerOf = async (token: string | undefined, address: string): Promise<Caller | null> =>
    token ? step("authenticate", () => credentials.callerOf(token, now(), address)) : null

  return (
    new Elysia({ name: "authentication" })
      .use(contextFields())
      // Reads `api_key`. The header is read here, because the plugin compares its scheme by case.
      .use(bearer({ extract: { header: "Bearer", query: "api_key", body: "" } }))

      .resolve(async (context) => {
        const { bearer, headers, address, set } = context
        const token = sentToken(headers.authorization, bearer)
        const caller = await callerOf(token, address).catch(async (error: unknown) => {
          // The account is not known, so the headers show the window of the address.
          window.show(await windows.addresses.peek(address, standardLimit), set.headers)
          throw error
        })
        if (!caller) {
          window.showAdmitted(await windows.addresses.admit(address, standardLimit), set.headers)
          throw unauthorized(token !== undefined)
        }
        context.accountId = caller.accountId
        context.tokenId = caller.tokenId
        context.isListed = true
        return { caller }
      })
      .as("scoped")
  )
}

/** The header takes precedence over `api_key`, even if it has no token. Undefined if none was sent. */
function sentToken(authorization: string | undefined, apiKey: string | undefined) {
  return readBearer(authorization ?? null) ?? apiKey
}

const unauthorized = (tokenSent: boolean) =>
  new ApiError("UNAUTHORIZED", {
    headers: {
      "WWW-Authenticate": `Bearer realm="mds"${tokenSent ? ', error="invalid_token"' : ""}`,
    },
  })
