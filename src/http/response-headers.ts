/**
 * The response headers that the service sets, for its description and for scripts of web sites (CORS).
 * Without those of every HTTP message: its media type, coding, length and date.
 */

export interface ResponseHeader {
  description: string
  /** `string` where it is left out. */
  type?: "integer"
  format?: string
  /** Whether scripts of web sites may read it, as by default. Browsers let them read the others in any case, or never. */
  exposed?: false
}

export const responseHeaders = {
  "Access-Control-Allow-Origin": {
    description: "Scripts of any web site may read the response",
    exposed: false,
  },
  "Access-Control-Expose-Headers": {
    description: "The headers that these scripts may read",
    exposed: false,
  },
  "Cache-Control": {
    description: "Data may be kept by the client, which asks each time whether it is current",
    exposed: false,
  },
  "Cache-Status": {
    description: "Whether the service had the response in its cache (RFC 9211)",
  },
  "Content-Disposition": {
    description: "A file name, for CSV and TSV",
    exposed: false,
  },
  ETag: {
    description: "Identifies the response; `If-None-Match` with it is answered with 304",
  },
  "Last-Modified": {
    description: "When the release was published",
  },
  Link: {
    description: "The `first`, `prev`, `next` and `last` page (RFC 8288), where there are any",
  },
  "Referrer-Policy": {
    description: "Keeps a token in an address from other sites",
    exposed: false,
  },
  "Retry-After": {
    description: "Seconds to wait before the next request",
    type: "integer",
  },
  RateLimit: {
    description: "Requests that are left, and the seconds until one of them returns",
  },
  "RateLimit-Policy": {
    description: "Requests that the window allows, and its length in seconds",
  },
  Vary: {
    description: "The request headers that the response depends on",
    exposed: false,
  },
  "WWW-Authenticate": {
    description: "How to send a token, and whether the one that was sent is invalid",
    exposed: false,
  },
  "X-Content-Type-Options": {
    description: "Browsers must not guess another media type",
    exposed: false,
  },
  "X-Data-Release": {
    description: "The number of the release that the response shows",
    type: "integer",
  },
  "X-RateLimit-Limit": {
    description: "Requests that the window allows; 2147483647 stands for no limit",
    type: "integer",
  },
  "X-RateLimit-Remaining": {
    description: "Requests that are left in the window",
    type: "integer",
  },
  "X-RateLimit-Reset": {
    description: "When the oldest counted request leaves the window, in Unix seconds",
    type: "integer",
  },
  "X-Request-Id": {
    description: "Identifies the request; quote it when you report a fault",
    format: "uuid",
  },
  "X-Total-Count": {
    description: "The number of records in the whole list",
    type: "integer",
  },
  "X-Total-Pages": {
    description: "The number of pages of the whole list",
    type: "integer",
  },
} as const satisfies Record<string, ResponseHeader>

export type HeaderName = keyof typeof responseHeaders

export const headerNames = Object.keys(responseHeaders) as HeaderName[]

export const headerOf = (name: HeaderName): ResponseHeader => responseHeaders[name]
