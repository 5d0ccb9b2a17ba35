/** The headers that every response has, whatever comes of the request. */
import { headersOf } from "./response-headers.ts"

const alwaysHeaders = {
  Vary: "Authorization, Accept, Accept-Encoding",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
}

/** The others are for browsers, not for scripts. */
const exposed = headersOf("every", "data", "release", "list", "error")

export const apiHeaders: Readonly<Record<string, string>> = {
  ...alwaysHeaders,
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
  ...alwaysHeaders,
  "Content-Security-Policy": contentSecurityPolicy,
}
