/**
 * Serves the API's description to programs. It needs no token, because it has no data.
 */
import { Elysia } from "elysia"
import { digest } from "../../system/text/digest.ts"
import { once } from "../../system/text/memoized.ts"
import type { Description, DescriptionOptions } from "../description/openapi.ts"
import { codedBody, encodedResponse } from "../http/content-coding.ts"
import { namesTag } from "../http/entity-tag.ts"
import { preflightResponse } from "../plugins/methods.ts"

export type Describe = () => Promise<Description>

/** Makes the description at the first request, since most processes never get one. */
export const describeOnce = (options: DescriptionOptions): Describe =>
  once(async () => {
    const { describeApi } = await import("../description/openapi.ts")
    return describeApi(options)
  })

export const description = ({ describe }: { describe: Describe }) => {
  const document = once(async () => {
    const text = JSON.stringify((await describe()).openApi)
    return { etag: `W/"${digest(text)}"`, body: codedBody(text) }
  })
  return new Elysia({ name: "description" })
    .options("/openapi.json", ({ request }) => preflightResponse(request))
    .get("/openapi.json", async ({ request }) => {
      const { etag, body } = await document()
      const headers = { ...documentHeaders, ETag: etag }
      if (namesTag(request.headers.get("if-none-match"), etag)) {
        return new Response(null, { status: 304, headers })
      }
      return encodedResponse(request, body, {
        headers: { ...headers, "Content-Type": "application/json" },
      })
    })
}

/**
 * Tools on other web sites read it. Any cache may store it and must revalidate it, so that no client sees the
 * description of a replaced version.
 */
const documentHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag",
  "Cache-Control": "no-cache",
  Vary: "Accept-Encoding",
}
