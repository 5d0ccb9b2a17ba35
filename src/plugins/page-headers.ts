/** The headers of every response outside of the API, whatever else happens. */
import { Elysia } from "elysia"
import { pageHeaders as headersOfPages } from "../http/api-headers.ts"
import { exchangeField } from "./exchange.ts"

/** `onRequest`, because its headers reach unknown paths and errors too. */
export const pageHeaders = () =>
  new Elysia({ name: "page-headers" }).use(exchangeField()).onRequest(({ set, exchange }) => {
    if (!exchange.isApi) Object.assign(set.headers, headersOfPages, exchange.headers)
  })
