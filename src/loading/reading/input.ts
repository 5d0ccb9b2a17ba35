/** One input, before its format is known. */
export interface InputFile {
  /** Without its directories, which are published nowhere. */
  name: string
  /** Null if unknown. */
  bytesTotal: number | null
  bytesRead: () => number
  /** SHA-256 of what has been read, hexadecimal. Call once, at the end. */
  sha256: () => string
  /** Set for an Excel workbook: its parts by their paths. `bytes` is then empty. */
  workbook?: (path: string) => AsyncGenerator<Uint8Array> | undefined
  /** Decompressed. Any error of the file is thrown as `LoadError`. */
  bytes: () => AsyncGenerator<Uint8Array>
  /** The content of the `.cpg` file beside a dBase file; null if there is none. */
  codePage: () => Promise<string | null>
}
