/**
 * Bounds what one file unpacks to, with all that is packed in it: a small one may expand without
 * end.
 */
import { LoadError } from "../load-error.ts"

/** Passes bytes on, and counts them. */
export type Counted = (bytes: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>

/**
 * @returns what makes a counter for each part: its bytes count once, however often they are read
 */
export function unpackedBound(maxBytes: number, name: string): () => Counted {
  let left = maxBytes
  return () => {
    let counted = 0
    return async function* (bytes) {
      let read = 0
      for await (const chunk of bytes) {
        read += chunk.length
        if (read > counted) {
          left -= read - counted
          counted = read
        }
        if (left < 0) {
          const limit = Math.floor(maxBytes / 1024 ** 2)
          throw new LoadError(`Cannot read ${name}: it unpacks to more than ${limit} MB`)
        }
        yield chunk
      }
    }
  }
}
