/**
 * The text of dBase files. Which code page it is in, a `.cpg` file beside it says, or one byte of its
 * header; where neither does, it is UTF-8 if it can be read so, and Windows-1252 otherwise.
 */

/** Undefined for bytes that are no text in the code page. */
export type Decode = (bytes: Buffer) => string | undefined

/** Code pages by the header's byte, as far as the registers of one country can need them. */
const codePageByLanguageDriver: Readonly<Record<number, string>> = {
  1: "437",
  2: "850",
  3: "1252",
  4: "macintosh",
  87: "1252",
  88: "1252",
  89: "1252",
}

/** The upper halves of the two pages of DOS, which text decoders do not have. */
const dosCodePages: Readonly<Record<string, string>> = {
  "437":
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  "850":
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
}

const dosDecoder = (page: string): Decode => {
  const upper = dosCodePages[page] ?? ""
  return (bytes) =>
    bytes
      .toString("latin1")
      .replace(/[\u0080-\u00ff]/g, (letter) => upper[letter.charCodeAt(0) - 128] ?? "")
}

const standardDecoder =
  (label: string): Decode =>
  (bytes) => {
    try {
      // Columns are cut at a number of bytes: half a letter at the end is dropped with `stream`.
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
      : page in dosCodePages
        ? dosDecoder(page)
        : standardDecoder(labelOf(page))
  return (bytes) => (isAscii(bytes) ? bytes.toString("latin1") : decode(bytes))
}

/** @throws RangeError for a name that no encoding has */
const textDecoder = (label: string) =>
  new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0], { fatal: true })

const utf8 = standardDecoder("utf-8")
const windows = standardDecoder("windows-1252")
const unknownPage: Decode = (bytes) => utf8(bytes) ?? windows(bytes)

/** `UTF-8`, `1252`, `ANSI 1252`, `CP1252`, `OEM 850`, `ISO 88591`; undefined where nobody knows it. */
function pageOf(cpg: string | null): string | undefined {
  const written = (cpg ?? "")
    .replace(/^\ufeff/, "")
    .trim()
    .toLowerCase()
  const page = written.replace(/^(ansi|oem|cp|windows|ibm)[\s-]*/, "")
  if (page === "65001") return "utf-8"
  if (/^(iso[\s-]*)?8859[\s-]*1$/.test(page)) return "1252"
  return page in dosCodePages || isLabel(labelOf(page)) ? page : undefined
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
