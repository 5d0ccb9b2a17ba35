/**
 * Sends bodies of more than 1 MB at the pace of their clients, because Bun copies a whole body, for as long as its
 * client does not read it. The idle timeout cuts a client that stops reading.
 */
import { createTurns } from "../../data/db/pool/turns.ts"
import { encodeLarge, largestAtOnce } from "../http/content-coding.ts"
import type { DataRequest } from "./data-request.ts"
import { isNotModified, type ResponseContent } from "./represent.ts"

/** Bodies take up to 8 MB: 480 MB in all, and 256 MB of an account with those that wait. */
const turnOptions = { places: 60, placesPerAccount: 12, queuePerAccount: () => 20 }
const partBytes = 128 * 1024

export function createLargeBodies() {
  const turns = createTurns(turnOptions)
  /** Replaces a large body by a stream, or null for HEAD. @throws Overloaded */
  return async (
    { request, account }: Pick<DataRequest, "request" | "account">,
    content: ResponseContent,
  ): Promise<ResponseContent<ResponseContent["body"] | ReadableStream<Uint8Array> | null>> => {
    const { validators, body } = content
    if (body.bytes.length <= largestAtOnce || isNotModified(request, validators)) return content
    const { bytes, coding } = await encodeLarge(body, request.headers.get("accept-encoding"))
    if (bytes.length <= largestAtOnce) return content
    const headers = new Headers(content.headers)
    if (coding) headers.set("Content-Encoding", coding)
    if (request.method === "HEAD") {
      headers.set("Transfer-Encoding", "chunked")
      return { validators, headers, body: null }
    }
    return { validators, headers, body: inParts(bytes, await turns.take(account)) }
  }
}

/** @param onEnd called also for a client that has left before the first part */
function inParts(bytes: Uint8Array, onEnd: () => void): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (sent < bytes.length) {
          controller.enqueue(bytes.subarray(sent, sent + partBytes))
          sent += partBytes
          return
        }
        onEnd()
        controller.close()
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  )
}
