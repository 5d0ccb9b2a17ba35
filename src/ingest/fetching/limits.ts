/** Limits of the requests of a fetch. Tests have smaller ones. */
export type Limits = typeof defaultLimits

export const defaultLimits = {
  /** Time until the headers of a response, and between two of its chunks. */
  silenceMs: 60_000,
  /** Time for all requests of one source, retries included. */
  totalMs: 60 * 60_000,
  /** Size of one file, without the compression of its transfer. */
  maxBytes: 2 * 1024 ** 3,
  /** Size of one file with all that is packed in it, as a load reads it. */
  maxUnpackedBytes: 4 * 1024 ** 3,
  /** The pause before the first retry; the second is three times as long. */
  backOffMs: 2_000,
}

export const megabytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MB`
