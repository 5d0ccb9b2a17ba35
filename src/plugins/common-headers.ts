/** The headers of every response, whatever else happens, and the response to preflights. */
import { Elysia } from "elysia"
import { apiHeaders, otherHeaders } from "../http/api-headers.ts"
import { contextFields } from "./request-context.ts"

export const allowedMethods = "GET, HEAD, OPTIONS"

/** `onRequest`, because its headers reach unknown paths and errors too. */
export const commonHeaders = () =>
  new Elysia({ name: "common-headers" }).use(contextFields()).onRequest((context) => {
    const { request, set, requestId } = context
    Object.assign(set.headers, isOfApi(request) ? apiHeaders : otherHeaders)
    set.headers["X-Request-Id"] = requestId
  })

/** Whether a request is for the API, whose clients are programs. */
export const isOfApi = ({ url }: Pick<Request, "url">): boolean =>
  /^https?:\/\/[^/]*\/api\/v1(?:[/?]|$)/.test(url)

/** Answers OPTIONS without a token and without counting it (CORS: any origin, no credentials). */
export const preflight = () =>
  new Elysia({ name: "preflight" })
    .options("/", () => preflightAnswer())
    .options("/*", () => preflightAnswer())

export const preflightAnswer = () =>
  new Response(null, {
    status: 204,
    headers: {
      Allow: allowedMethods,
      "Access-Control-Allow-Methods": allowedMethods,
      "Access-Control-Allow-Headers":
        "Authorization, Accept, If-None-Match, traceparent, tracestate",
      "Access-Control-Max-Age": "86400",
    },
  })
