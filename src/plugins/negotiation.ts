/** Which representation the client prefers (RFC 9110, 12.5.1). The parameter `format` wins over it. */
import { Elysia } from "elysia"
import { preferredFormat } from "../http/negotiation.ts"

/** Gives `format`, by the `Accept` header. */
export const negotiation = () =>
  new Elysia({ name: "negotiation" })
    .resolve(({ request }) => ({ format: preferredFormat(request.headers.get("accept")) }))
    .as("scoped")
