/** Responds to OPTIONS without a token and without counting it (CORS: any origin, no credentials). */
import { Elysia } from "elysia"
import { apiHeaders } from "../http/response-headers.ts"
import { exchangeOf } from "./exchange.ts"
import { allowedMethods } from "./target.ts"

export const preflight = () =>
  new Elysia({ name: "preflight" })
    .options("/", ({ request }) => preflightResponse(request))
    .options("/*", ({ request }) => preflightResponse(request))

export const preflightResponse = (request: Request) =>
  new Response(null, {
    status: 204,
    headers: {
      ...apiHeaders,
      ...exchangeOf(request).headers,
      Allow: allowedMethods,
      "Access-Control-Allow-Methods": allowedMethods,
      "Access-Control-Allow-Headers": "Authorization, Accept, If-None-Match",
      "Access-Control-Max-Age": "86400",
    },
  })
