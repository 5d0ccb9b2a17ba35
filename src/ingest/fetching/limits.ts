/** Limits of the requests of a fetch. Tests have smaller ones. */
export interface Limits {
  /** Time until the headers of a response, and between two of its chunks. */
  silenceMs: number
  /** Time for all requests of one source, retries included. */
  totalMs: number
  /** Size of one file, without the compression of its transfer. */
  maxBytes: number
  /** Size of one file with all that is packed in it, as a load reads it. */
  maxUnpackedBytes: number
  /** The pause before the first retry; the second is three times as long. */
  backOffMs: number
}

export const defaultLimits: Limits = {
  silenceMs: 60_000,
  totalMs: 60 * 60_000,
  maxBytes: 2 * 1024 ** 3,
  maxUnpackedBytes: 4 * 1024 ** 3,
  backOffMs: 2_000,
}

export const megabytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MB`
