/** The documentation as responses of text. Each is made once for an address of the service. */
import { type CodedBody, codedBody } from "../../http/content-coding.ts"
import { publicUrlOf } from "../kit/page-context.ts"
import { encodedResponse } from "../kit/page-response.ts"

/** All texts of one address. Without BASE_URL, each client may name another. */
const mostKept = 24

/** @param make the text, for the address of the service. May throw what a page may */
export type RespondWithText = (
  request: Request,
  type: "text/markdown" | "text/plain" | "application/json",
  make: (publicUrl: string) => Promise<string>,
) => Promise<Response>

/** @param baseUrl the service's public address; empty where it is not set */
export function textResponses(baseUrl: string): RespondWithText {
  const kept = new Map<string, Promise<CodedBody>>()
  // Otherwise they have the address that the client named, which is not for others.
  const cacheControl = `${baseUrl === "" ? "private" : "public"}, max-age=300`

  function keep(key: string, body: Promise<CodedBody>): Promise<CodedBody> {
    kept.delete(key)
    kept.set(key, body)
    const [oldest = key] = kept.keys()
    if (kept.size > mostKept) kept.delete(oldest)
    body.catch(() => {
      if (kept.get(key) === body) kept.delete(key)
    })
    return body
  }

  return async (request, type, make) => {
    const publicUrl = publicUrlOf(request, baseUrl)
    const key = `${publicUrl} ${new URL(request.url).pathname}`
    const body = await keep(key, kept.get(key) ?? make(publicUrl).then(codedBody))
    return encodedResponse(request, body, {
      headers: {
        "Content-Type": `${type}; charset=utf-8`,
        "Cache-Control": cacheControl,
        Vary: "Accept-Encoding",
      },
    })
  }
}
