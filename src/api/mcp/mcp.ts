/** `/mcp`: the data for assistants, by the Model Context Protocol (Streamable HTTP without sessions). */
import { Elysia } from "elysia"
import { isOwnOrigin } from "../http/own-origin.ts"
import { rateLimit } from "../plugins/rate-limit.ts"
import { contextOf } from "../plugins/request-context.ts"
import type { McpOptions } from "./respond.ts"

export const mcp = (options: McpOptions) =>
  new Elysia({ name: "mcp" })
    .use(rateLimit(options))
    // Leaves the body to the package, which limits its size.
    .onParse(() => null)
    .all("/mcp", async ({ request, caller }) => {
      const context = contextOf(request)
      const response =
        foreignHost(request, options.baseUrl) ?? (await respond(options, request, context, caller))
      // The whole body, also of an event stream: the log line has its size, its duration and its error.
      const body = await response.bytes()
      const headers = new Headers(response.headers)
      headers.set("Cache-Control", "no-store")
      headers.set("Content-Length", String(body.length))
      for (const [name, value] of Object.entries(context.headers)) headers.set(name, value)
      return new Response(body.length === 0 ? null : body, { status: response.status, headers })
    })

/** Loaded by the first request: the package takes a fifth of a second of CPU. */
const respond: typeof import("./respond.ts").respond = async (...given) =>
  (await import("./respond.ts")).respond(...given)

/**
 * 403 for a page of another site, and where the public address is known, for another name of this server
 * (DNS rebinding).
 */
function foreignHost({ headers, url }: Request, baseUrl: string): Response | null {
  const origin = headers.get("origin")
  if (origin !== null && !isOwnOrigin(origin, url, baseUrl)) return forbidden("Invalid Origin")
  const isNamed = baseUrl === "" || new URL(url).hostname === new URL(baseUrl).hostname
  return isNamed ? null : forbidden(`Invalid Host: must be that of ${baseUrl}`)
}

const forbidden = (message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status: 403 })
