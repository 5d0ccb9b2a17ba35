/** Content codings (RFC 9110, 8.4): zstd and gzip for clients that accept them. */

import { once } from "node:events"
import { promisify } from "node:util"
import { createGzip, gzip as gzipThreaded } from "node:zlib"
import { type Coding, preferredCoding } from "./negotiation.ts"

/** Below this size, in bytes, a body fits one packet and is sent as it is. */
const smallestWorthwhile = 1_024

/** A larger body is coded on another thread: the event loop would stop for tens of milliseconds. */
export const largestAtOnce = 1024 ** 2

/** A whole body, and its coded forms, each made at its first request; null for a compressed format. */
export interface CodedBody {
  bytes: Uint8Array<ArrayBuffer>
  coded: Partial<Record<Coding, Uint8Array<ArrayBuffer>>> | null
}

const encoder = new TextEncoder()

export const codedBody = (text: string): CodedBody => ({ bytes: encoder.encode(text), coded: {} })

/** The body in the coding that the client prefers, and the header that names it. */
export function encodeBody({ bytes, coded }: CodedBody, acceptEncoding: string | null) {
  const coding = codingOf(bytes, acceptEncoding)
  if (coded === null || coding === null) return { bytes, coding: null }
  coded[coding] ??= coders[coding](bytes)
  return { bytes: coded[coding], coding }
}

/** The same, coded on another thread. */
export async function encodeLarge(body: CodedBody, acceptEncoding: string | null) {
  const { bytes, coded } = body
  const coding = codingOf(bytes, acceptEncoding)
  if (coded && coding) coded[coding] ??= new Uint8Array(await threadedCoders[coding](bytes))
  return encodeBody(body, acceptEncoding)
}

const codingOf = ({ length }: Uint8Array, acceptEncoding: string | null): Coding | null =>
  length >= smallestWorthwhile ? preferredCoding(acceptEncoding, ["zstd", "gzip"]) : null

const coders: Record<Coding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>> = {
  zstd: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes)),
  gzip: (bytes) => Bun.gzipSync(bytes),
}

const threadedCoders: Record<Coding, (bytes: Uint8Array<ArrayBuffer>) => Promise<Buffer>> = {
  zstd: (bytes) => Bun.zstdCompress(bytes),
  gzip: promisify(gzipThreaded),
}

/** A response with the body in the coding that the client prefers. */
export function encodedResponse(
  request: Pick<Request, "headers">,
  body: CodedBody,
  init: { status?: number; headers: Headers | Record<string, string> },
): Response {
  const { bytes, coding } = encodeBody(body, request.headers.get("accept-encoding"))
  const response = new Response(bytes, init)
  response.headers.set("Content-Length", String(bytes.length))
  if (coding) response.headers.set("Content-Encoding", coding)
  return response
}

/** Whether a stream is coded for this client: as gzip, which takes little memory. */
export const acceptsGzip = (acceptEncoding: string | null): boolean =>
  preferredCoding(acceptEncoding, ["gzip"]) !== null

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Codes a body part by part. No part may change afterwards. With zlib, because Bun's CompressionStream passes on
 * neither a failure nor a cancellation.
 */
export async function* gzipped(parts: AsyncIterable<Bytes>): AsyncGenerator<Bytes, void, void> {
  const gzip = createGzip({ level: 2, chunkSize: 64 * 1024 })
  let coded: Uint8Array[] = []
  gzip.on("data", (part: Uint8Array) => coded.push(part))
  const take = (): Bytes => {
    const taken = Buffer.concat(coded)
    coded = []
    return taken
  }
  try {
    for await (const part of parts) {
      await new Promise<void>((resolve, reject) => {
        gzip.write(part, (error) => (error ? reject(error) : resolve()))
      })
      // It may buffer a whole part.
      if (coded.length > 0) yield take()
    }
    const ended = once(gzip, "end")
    gzip.end()
    await ended
    yield take()
  } finally {
    // Otherwise its tables, some hundred kilobytes outside the heap, stay until garbage collection.
    gzip.destroy()
  }
}
