/** The headers that every response of the API has, whatever comes of the request. */

/** The response headers that scripts of web sites may read (CORS). */
const exposed = [
  "Cache-Status",
  "ETag",
  "Last-Modified",
  "Link",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "X-Data-Release",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
  "X-Total-Count",
  "X-Total-Pages",
]

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

/** Metrics and health are for operators' programs, not for scripts of any web site. */
export const otherHeaders: Readonly<Record<string, string>> = { ...varyHeader, ...securityHeaders }
