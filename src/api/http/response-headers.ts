/** The fixed response headers, and the meaning of each header. */

/**
 * The meaning of each response header, by the responses that have it. Headers of every HTTP message (media
 * type, coding, length, date) are not listed.
 */
const groups = {
  /** Every response of the API, with a fixed value. */
  fixed: {
    "Access-Control-Allow-Origin": "Scripts of any web site may read the response",
    "Access-Control-Expose-Headers": "The headers that these scripts may read",
    "Referrer-Policy": "Keeps a token in an address from other sites",
    Vary: "The request headers that the response depends on",
    "X-Content-Type-Options": "Browsers must not guess another media type",
  },
  /** Every response of the API, errors included. */
  every: {
    "Cache-Control": "Whether a client may store the response, and that it must revalidate it",
    "X-RateLimit-Limit": "Requests that the window allows; 2147483647 means no limit",
    "X-RateLimit-Remaining": "Remaining requests in the window",
    "X-RateLimit-Reset": "When the oldest counted request leaves the window, in Unix seconds",
    "X-Request-Id": "A UUID that identifies the request; quote it when you report a fault",
  },
  /** Data, 304 included. */
  data: {
    "Cache-Status": "Whether the service had the response in its cache (RFC 9211)",
    ETag: "Identifies the response; a request with it in `If-None-Match` gets 304",
  },
  /** Data of a release, 304 included. */
  release: {
    "Last-Modified": "When the release was published",
    "X-Data-Release": "The number of the release that the response shows",
  },
  list: {
    "Content-Disposition": "A file name, for CSV, TSV, NDJSON and Parquet",
    Link: "The `first`, `prev`, `next` and `last` page (RFC 8288), where there are any; all but `first` with `as_of`",
    "X-Total-Count": "The number of records in the whole list",
    "X-Total-Pages": "The number of pages of the whole list",
  },
  error: {
    "Retry-After": "Seconds to wait before the next request",
    "WWW-Authenticate": "How to send a token, and whether the one that was sent is invalid",
  },
}

type Group = keyof typeof groups

/** Returns the names of the headers in these groups. */
export const headersOf = (...names: readonly Group[]): string[] =>
  names.flatMap((name) => Object.keys(groups[name]))

/** The meaning of each header, by name. */
export const responseHeaders: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(groups).flatMap((group) => Object.entries(group)),
)

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

/** Nothing from another host but images of this one, no inline script or style, no frame (CSP Level 3). */
export const contentSecurityPolicy = (imageHost = ""): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${imageHost}`.trim(),
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
  "Content-Security-Policy": contentSecurityPolicy(),
}
