/** The headers of every response, whatever else happens, and the response to preflights. */
import { Elysia } from "elysia"
import { contextFields } from "./request-context.ts"

const exposed = [
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

export const allowedMethods = "GET, HEAD, OPTIONS"

/** `onRequest`, because its headers reach unknown paths and errors too. */
export const commonHeaders = () =>
  new Elysia({ name: "common-headers" }).use(contextFields()).onRequest((context) => {
    const { request, set, requestId } = context
    set.headers["X-Request-Id"] = requestId
    set.headers.Vary = "Authorization, Accept, Accept-Encoding"
    if (isOfApi(request)) {
      set.headers["Access-Control-Allow-Origin"] = "*"
      set.headers["Access-Control-Expose-Headers"] = exposed.join(", ")
    }
    set.headers["X-Content-Type-Options"] = "nosniff"
    set.headers["Referrer-Policy"] = "no-referrer"
  })

/** Metrics and health are for operators' programs, not for scripts of any web site. */
const isOfApi = ({ url }: Request): boolean => /^\/api\/v1(\/|$)/.test(new URL(url).pathname)

/** Answers OPTIONS without a token and without counting it (CORS: any origin, no credentials). */
export const preflight = () =>
  new Elysia({ name: "preflight" })
    .options("/", () => preflightAnswer())
    .options("/*", () => preflightAnswer())

const preflightAnswer = () =>
  new Response(null, {
    status: 204,
    headers: {
      Allow: allowedMethods,
      "Access-Control-Allow-Methods": allowedMethods,
      "Access-Control-Allow-Headers": "Authorization, Accept, If-None-Match",
      "Access-Control-Max-Age": "86400",
    },
  })
