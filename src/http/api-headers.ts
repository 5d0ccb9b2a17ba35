/** The headers that every response of the API has, whatever comes of the request. */
import { headerNames, headerOf } from "./response-headers.ts"

const exposed = headerNames.filter((name) => headerOf(name).exposed !== false)

export const securityHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
} as const

export const varyHeader = { Vary: "Authorization, Accept, Accept-Encoding" } as const

export const apiHeaders: Readonly<Record<string, string>> = {
  ...varyHeader,
  ...securityHeaders,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": exposed.join(", "),
}

/** Nothing from another host, no inline script or style, no frame (CSP Level 3). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ")

/**
 * Of pages and all that belongs to them. Metrics and health are for operators' programs, not for scripts of
 * any web site.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...varyHeader,
  ...securityHeaders,
  "Content-Security-Policy": contentSecurityPolicy,
}
