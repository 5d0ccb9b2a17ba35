/** Recognises files that are not tables by their content. */

import { excerpt } from "../../../system/text/printable-text.ts"
import { damaged } from "../load-error.ts"

/** How many bytes `foreignFormat` looks at. */
export const signatureLength = 16

export const isZip = (start: Uint8Array): boolean =>
  start[0] === 0x50 && start[1] === 0x4b && (start[2] === 0x03 || start[2] === 0x05)

/** First bytes, in Latin-1. */
const signatures: readonly [start: string, what: string][] = [
  ["%PDF", "it is a PDF"],
  [
    "\u00d0\u00cf\u0011\u00e0",
    "it is a workbook or another office document. Save the sheet as CSV",
  ],
  ["\u00ff\u00fe\0\0", "it is UTF-32 text; save it as UTF-8"],
  ["\0\0'\n", "it is the geometry of a shapefile; load the .dbf file beside it"],
  ["SQLite format 3\0", "it is a SQLite database, such as a GeoPackage; export its table as CSV"],
  ["PAR1", "it is a Parquet file; export it as CSV"],
  ["{\\rtf", "it is an RTF document"],
  ["7z\u00bc\u00af", "it is a 7-Zip archive; extract it first"],
  ["Rar!\u001a", "it is a RAR archive; extract it first"],
  ["\u00fd7zXZ\0", "it is compressed with xz; decompress it first"],
  ["(\u00b5/\u00fd", "it is compressed with Zstandard; decompress it first"],
  ["BZh91AY", "it is compressed with bzip2; decompress it first"],
  ["\u0089PNG", "it is a picture"],
]

/** The format of a file by its first bytes, as a reason to reject it; undefined if it may be a table. */
export function foreignFormat(start: Uint8Array): string | undefined {
  if (isZip(start)) {
    return "it is a zip file or a workbook inside another file or on standard input. Give a zip file as a file of its own; save the sheet of a workbook as CSV"
  }
  const text = Buffer.from(start.subarray(0, signatureLength)).toString("latin1")
  return signatures.find(([signature]) => text.startsWith(signature))?.[1]
}

const htmlStart = /^<(!doctype html|html|head|body|title|meta|script|h1)\b/i
const scriptStart =
  /^["']use strict["']|^(?:var|let|const)\s+[\w$]+\s*=|^[!(]*(?:async\s+)?function\b/

/** The same by the beginning of a text, which is mostly a failed download. */
export function foreignText(start: string): string | undefined {
  const text = start.trim().replace(/^(?:<\?xml[^>]*>|<!--.*?-->|\s)+/s, "")
  const shown = `not a table ("${onOneLine(text)}")`
  if (start.trim() === "") return damaged("it is empty")
  if (/^[^\n]*\0/.test(start)) return "it is no text, or UTF-16 without its mark; save it as UTF-8"
  if (htmlStart.test(text)) {
    return `it is a web page (HTML), such as a sign-in or error page, not a table ("${pageTitle(text)}")`
  }
  if (start.trim().startsWith("<")) return `it is XML, ${shown}`
  if (scriptStart.test(text)) return `it is a script, ${shown}. Save its data as GeoJSON or CSV`
  if (/^[^{[]/.test(text) && text.includes("\r") && !text.includes("\n"))
    return "its lines end as on old Macintosh computers; save it as CSV UTF-8"
  const isOneLine = !/[\r\n]/.test(text)
  if (isOneLine && !/[,;\t{]|^\[/.test(text)) return `it looks like an error message, ${shown}`
  return undefined
}

function pageTitle(html: string): string {
  const title = onOneLine(/<title[^<>]*>([^<]*)</i.exec(html)?.[1] ?? "")
  return title === "" ? onOneLine(html) : title
}

const onOneLine = (text: string): string => excerpt(text.replace(/\s+/g, " ").trim(), 60)
