/**
 * Authenticates the caller before any other check, so a client without a valid token gets 401 for every
 * path, and 429 past the window of its address.
 */
import { bearer } from "@elysiajs/bearer"
import { Elysia } from "elysia"
import type { Caller, Credentials } from "../../accounts/access/credentials.ts"
import { standardLimit } from "../../accounts/access/windows.ts"
import { unauthorized } from "../http/api-error.ts"
import { contextOf, requireAdmitted, showWindow, type WindowOptions } from "./request-context.ts"

export interface AuthenticationOptions extends WindowOptions {
  credentials: Credentials
}

/** Gives `caller`, and `isCallerValid`, which authenticates again. @throws ApiError UNAUTHORIZED, RATE_LIMITED; Unavailable */
export const authentication = (options: AuthenticationOptions) => {
  const { credentials, windows, now } = options

  const callerOf = (token: string | undefined, address: string): Promise<Caller | null> =>
    token ? credentials.callerOf(token, now(), address) : Promise.resolve(null)

  return (
    new Elysia({ name: "authentication" })
      // Reads `Bearer TOKEN` and `api_key`. Ours reads other spellings of the header.
      .use(bearer({ extract: { header: "Bearer", query: "api_key", body: "" } }))
      .resolve(async ({ bearer, request }) => {
        const context = contextOf(request)
        const { address } = context
        const header = request.headers.get("authorization")
        // The header wins, even without a token. `/mcp` reads no `api_key`.
        const isRead = header ? header.startsWith("Bearer ") : context.isApi
        const token = isRead ? bearer?.trim() : readBearer(header ?? "")
        const caller = await callerOf(token, address).catch(async (error: unknown) => {
          // The account is unknown, so the headers show the window of the address.
          showWindow(context, await windows.addresses.peek(address, standardLimit), options)
          throw error
        })
        if (!caller) {
          const window = await windows.addresses.admit(address, standardLimit)
          requireAdmitted(context, window, options)
          throw unauthorized(Boolean(token))
        }
        context.accountId = caller.accountId
        context.tokenId = caller.tokenId
        context.isListed = true
        const isCallerValid = async () => (await callerOf(token, address)) !== null
        return { caller, isCallerValid }
      })
      .as("scoped")
  )
}

/**
 * Returns the token of an `Authorization` header (RFC 9110, section 11.4; RFC 6750, section 2.1). Schemes
 * ignore case. The token is the whole rest, so that `Bearer two words`, or two headers joined by a comma, is
 * an invalid token and not a missing one.
 * @returns empty for another scheme or a scheme without a token
 */
const readBearer = (header: string): string => /^bearer[ \t]+(.*)$/is.exec(header)?.[1] ?? ""
