/**
 * Decodes the text of dBase files. The code page is named by a `.cpg` file beside it, or by one
 * byte of its header; without either, the text is UTF-8 if it is valid, and Windows-1252 otherwise.
 * Decoding is `TextDecoder`'s, which refuses invalid bytes; iconv-lite would replace them.
 */
import iconv from "iconv-lite"

/** Undefined for bytes that are not valid text in the code page. */
export type Decode = (bytes: Buffer) => string | undefined

/** Code pages by the header's language driver byte, as far as Australian registers need them. */
const codePageByLanguageDriver: Readonly<Record<number, string>> = {
  1: "437",
  2: "850",
  3: "1252",
  4: "macintosh",
  87: "1252",
  88: "1252",
  89: "1252",
}

/** The code pages of DOS, which `TextDecoder` does not have. Every byte is a character in them. */
const dosCodePages = new Set(["437", "850"])

const dosDecoder =
  (page: string): Decode =>
  (bytes) =>
    iconv.decode(bytes, `cp${page}`)

const standardDecoder =
  (label: string): Decode =>
  (bytes) => {
    try {
      // Columns are truncated to a number of bytes: `stream` drops half a character at the end.
      return textDecoder(label).decode(bytes, { stream: true })
    } catch {
      return undefined
    }
  }

export function decoderOf(languageDriver: number, cpg: string | null): Decode {
  const page = pageOf(cpg) ?? codePageByLanguageDriver[languageDriver]
  const decode =
    page === undefined
      ? unknownPage
      : dosCodePages.has(page)
        ? dosDecoder(page)
        : standardDecoder(labelOf(page))
  return (bytes) => (isAscii(bytes) ? bytes.toString("latin1") : decode(bytes))
}

/** @throws RangeError for an unknown name */
const textDecoder = (label: string) =>
  new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0], { fatal: true })

const utf8 = standardDecoder("utf-8")
const windows = standardDecoder("windows-1252")
const unknownPage: Decode = (bytes) => utf8(bytes) ?? windows(bytes)

/** `UTF-8`, `1252`, `ANSI 1252`, `CP1252`, `OEM 850`, `ISO 88591`; undefined if unknown. */
function pageOf(cpg: string | null): string | undefined {
  const written = (cpg ?? "")
    .replace(/^\ufeff/, "")
    .trim()
    .toLowerCase()
  const page = written.replace(/^(ansi|oem|cp|windows|ibm)[\s-]*/, "")
  if (page === "65001") return "utf-8"
  if (/^(iso[\s-]*)?8859[\s-]*1$/.test(page)) return "1252"
  return dosCodePages.has(page) || isLabel(labelOf(page)) ? page : undefined
}

const labelOf = (page: string) => (/^\d+$/.test(page) ? `windows-${page}` : page)

function isLabel(label: string): boolean {
  try {
    return textDecoder(label).encoding !== ""
  } catch {
    return false
  }
}

const isAscii = (bytes: Buffer): boolean => bytes.every((byte) => byte < 128)
