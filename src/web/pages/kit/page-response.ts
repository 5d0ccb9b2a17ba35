/** Pages as responses, and the cookie of a session. */
import { codedBody, encodedResponse } from "../../../api/http/content-coding.ts"
import type { Html } from "./html.ts"

const pageHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  // With no-referrer, browsers would send `Origin: null` with forms.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  Vary: "Cookie, Accept-Encoding",
} as const

export interface PageResponseOptions {
  status?: number | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** @param cacheControl `no-store` for content of one person */
export const pageResponse = (
  request: Pick<Request, "headers">,
  page: Html,
  cacheControl: "no-store" | "private, no-cache",
  { status = 200, headers }: PageResponseOptions = {},
): Response =>
  encodedResponse(request, codedBody(page.text), {
    status,
    headers: { ...pageHeaders, "Cache-Control": cacheControl, ...headers },
  })

/** Redirects to another page of the service, which the browser then gets with GET. */
export const redirect = (
  location: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: location, "Cache-Control": "no-store", Vary: "Cookie", ...headers },
  })

/**
 * The cookie of a session. The prefix `__Host-` makes browsers accept it only with Secure, only for this
 * host, and for every path (RFC 6265bis, 4.1.3.2). They keep a Secure cookie over HTTPS, and on localhost.
 */
const cookieName = "__Host-session"
const cookieAttributes = "Path=/; Secure; HttpOnly; SameSite=Lax"

export const sessionCookie = {
  /** The cookie's value from the client; null without one. */
  read: ({ headers }: Pick<Request, "headers">): string | null => {
    const sent = headers.get("cookie")
    return sent?.includes(cookieName) ? new Bun.CookieMap(sent).get(cookieName) : null
  },
  /** A `Set-Cookie` that sets it. @param maxAgeSeconds of the browser, from now on */
  text: (value: string, maxAgeSeconds: number): string =>
    `${cookieName}=${value}; Max-Age=${maxAgeSeconds}; ${cookieAttributes}`,
  /** Headers that delete it. */
  clear: (): Record<string, string> => ({ "Set-Cookie": sessionCookie.text("", 0) }),
}
