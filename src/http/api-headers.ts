/** The fixed headers of responses. */
import { headersOf } from "./response-headers.ts"

const alwaysHeaders = {
  Vary: "Authorization, Accept, Accept-Encoding",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
}

/** Scripts need these headers; the others are for browsers. */
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
 * The fixed headers outside of the API: pages, metrics and health. Scripts of other web sites must not read
 * them.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...alwaysHeaders,
  "Content-Security-Policy": contentSecurityPolicy,
}
