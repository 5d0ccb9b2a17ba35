/** Answers OPTIONS without a token and without counting it (CORS: any origin, no credentials). */
import { Elysia } from "elysia"
import { apiHeaders } from "../http/api-headers.ts"
import { type Exchange, exchangeField } from "./exchange.ts"
import { allowedMethods } from "./target.ts"

export const preflight = () =>
  new Elysia({ name: "preflight" })
    .use(exchangeField())
    .options("/", ({ exchange }) => preflightResponse(exchange))
    .options("/*", ({ exchange }) => preflightResponse(exchange))

export const preflightResponse = ({ headers }: Pick<Exchange, "headers">) =>
  new Response(null, {
    status: 204,
    headers: {
      ...apiHeaders,
      ...headers,
      Allow: allowedMethods,
      "Access-Control-Allow-Methods": allowedMethods,
      "Access-Control-Allow-Headers":
        "Authorization, Accept, If-None-Match, traceparent, tracestate",
      "Access-Control-Max-Age": "86400",
    },
  })
