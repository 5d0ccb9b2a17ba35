/** Content codings (RFC 9110, 8.4): gzip for who accepts it and where it is worth it. */

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

/** Codes a whole body; `headers` tell the coding. */
export const encodeText = (text: string, acceptEncoding: string | null) =>
  text.length >= smallestWorthwhile && acceptsGzip(acceptEncoding)
    ? { body: Bun.gzipSync(text), headers: gzipped }
    : { body: text, headers: {} }

/** Codes a body part by part. What a part gives may be empty; the rest comes with a later one. */
export interface StreamCoder {
  headers: Record<string, string>
  code(text: string): Promise<Uint8Array<ArrayBuffer>>
  end(): Promise<Uint8Array<ArrayBuffer>>
  /** Frees what it holds, at its end or before; to be called in any case. */
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

/** By hand: a failure or a cancellation does not pass through Bun's CompressionStream. */
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
    // Else its tables, some hundred kilobytes outside the heap, stay until garbage is collected.
    close: () => gzip.destroy(),
  }
}

const gzipped = { "Content-Encoding": "gzip" }
