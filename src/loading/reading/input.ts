/** One input, before anything is known of its form. */
export interface InputFile {
  /** Without its directories, which are nobody else's business. */
  name: string
  /** Null where it can't be known beforehand. */
  bytesTotal: number | null
  bytesRead: () => number
  /** Of what has been read, hexadecimal. Ask once, at the end. */
  sha256: () => string
  /** Unpacked. Any error of the file is thrown as `LoadError`. */
  bytes: () => AsyncGenerator<Uint8Array>
  /** What the `.cpg` file beside a dBase file says of its text; null where there is none. */
  codePage: () => Promise<string | null>
}
