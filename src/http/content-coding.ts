/** Content codings (RFC 9110, 8.4): gzip for clients that accept it, if it is worth it. */

import { createGzip } from "node:zlib"

/** Below this size, in UTF-16 units, a body fits one packet and is sent as it is. */
const smallestWorthwhile = 1_024

/** Whether `Accept-Encoding` allows gzip, by name or by `*`, with a weight above 0. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  const codings = (acceptEncoding ?? "").toLowerCase().split(",").map(parseCoding)
  const named = codings.find(({ name }) => name === "gzip" || name === "x-gzip")
  const chosen = named ?? codings.find(({ name }) => name === "*")
  return chosen !== undefined && chosen.weight > 0
}

function parseCoding(text: string): { name: string; weight: number } {
  const [name = "", weight] = text.split(";").map((part) => part.trim())
  return { name, weight: weight === undefined ? 1 : Number(weight.replace(/^q\s*=\s*/, "")) }
}

/** Encodes a whole body; `headers` name the coding. */
export const encodeText = (text: string, acceptEncoding: string | null) =>
  text.length >= smallestWorthwhile && acceptsGzip(acceptEncoding)
    ? { body: Bun.gzipSync(text), headers: gzipped }
    : { body: text, headers: {} }

/** Encodes a body part by part. The output of a part may be empty; the rest comes with a later one. */
export interface StreamCoder {
  headers: Record<string, string>
  code(text: string): Promise<Uint8Array<ArrayBuffer>>
  end(): Promise<Uint8Array<ArrayBuffer>>
  /** Frees its memory, at its end or before; to be called in any case. */
  close(): void
}

export const streamCoder = (acceptEncoding: string | null): StreamCoder =>
  acceptsGzip(acceptEncoding) ? gzipCoder() : identityCoder()

function identityCoder(): StreamCoder {
  const encoder = new TextEncoder()
  return {
    headers: {},
    code: async (text) => encoder.encode(text),
    end: async () => new Uint8Array(0),
    close: () => {},
  }
}

/** With zlib, because Bun's CompressionStream passes on neither a failure nor a cancellation. */
function gzipCoder(): StreamCoder {
  const gzip = createGzip()
  let coded: Uint8Array[] = []
  gzip.on("data", (part: Uint8Array) => coded.push(part))
  const take = (): Uint8Array<ArrayBuffer> => {
    const taken = Buffer.concat(coded)
    coded = []
    return taken
  }
  return {
    headers: gzipped,
    code: (text) =>
      new Promise((resolve, reject) => {
        gzip.write(text, (error) => (error ? reject(error) : resolve(take())))
      }),
    end: () =>
      new Promise((resolve, reject) => {
        gzip.once("error", reject)
        gzip.once("end", () => resolve(take()))
        gzip.end()
      }),
    // Otherwise its tables, some hundred kilobytes outside the heap, stay until garbage collection.
    close: () => gzip.destroy(),
  }
}

const gzipped = { "Content-Encoding": "gzip" }
