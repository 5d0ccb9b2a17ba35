/** What bounds the requests of a fetch. Tests give smaller ones. */
export interface Limits {
  /** From a request to the headers of its response. */
  headersMs: number
  /** Between two chunks of a response. */
  idleMs: number
  /** For everything that one source needs, retries included. */
  totalMs: number
  /** Of one file, before and after its decompression. */
  maxBytes: number
  /** Of one file with all that is packed in it, as a load reads it. */
  maxUnpackedBytes: number
  redirects: number
  /** Requests for one file or page, and passes over one layer. */
  tries: number
  /** The pause before the first retry; each further one is three times as long. */
  backOffMs: number
  /** A server that asks for a longer pause is not waited for. */
  maxRetryAfterMs: number
}

export const defaultLimits: Limits = {
  headersMs: 60_000,
  idleMs: 60_000,
  totalMs: 60 * 60_000,
  maxBytes: 2 * 1024 ** 3,
  maxUnpackedBytes: 4 * 1024 ** 3,
  redirects: 5,
  tries: 4,
  backOffMs: 2_000,
  maxRetryAfterMs: 5 * 60_000,
}

/** What one file of an entry may unpack to: never less than it may have as it is transferred. */
export const unpackedLimit = (
  { max_mb = 0, max_unpacked_mb }: { max_mb?: number; max_unpacked_mb?: number },
  { maxUnpackedBytes }: Limits,
): number =>
  Math.max(max_mb * 1024 ** 2, max_unpacked_mb ? max_unpacked_mb * 1024 ** 2 : maxUnpackedBytes)
