/** Reads a stream piece by piece, and digests what was read. */
import { incomplete } from "./archive.ts"

export interface ByteReader {
  /** Exactly so many bytes. @throws ArchiveError at the end of the stream */
  read(length: number): Promise<Buffer>
  /** How many bytes were read. */
  readonly bytesRead: number
  /** The SHA-256 of all that was read, in hexadecimal. */
  sha256(): string
  /** What follows, which is not part of the digest; at most `maxLength` bytes of it. */
  rest(maxLength: number): Promise<Buffer>
}

export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  const digest = new Bun.CryptoHasher("sha256")
  let buffered: Buffer = Buffer.alloc(0)
  let bytesRead = 0

  /** Returns whether so many bytes are buffered now. */
  async function fill(length: number): Promise<boolean> {
    const parts = [buffered]
    let available = buffered.length
    while (available < length) {
      const next = await chunks.next()
      if (next.done) break
      const chunk = Buffer.from(next.value)
      parts.push(chunk)
      available += chunk.length
    }
    if (parts.length > 1) buffered = Buffer.concat(parts)
    return available >= length
  }

  return {
    read: async (length) => {
      if (buffered.length < length && !(await fill(length))) {
        throw incomplete()
      }
      const bytes = buffered.subarray(0, length)
      buffered = buffered.subarray(length)
      bytesRead += length
      digest.update(bytes)
      return bytes
    },
    get bytesRead() {
      return bytesRead
    },
    sha256: () => digest.copy().digest("hex"),
    rest: async (maxLength) => {
      await fill(maxLength)
      return buffered.subarray(0, maxLength)
    },
  }
}
