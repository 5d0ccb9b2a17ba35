/**
 * When two names are the same company's. Registers and directories write the same name in many
 * ways (`B.H.P. Group Ltd`, `BHP GROUP LIMITED`); a holder is linked to a company where the two
 * normalise to the same key.
 */

/** Forms of incorporation, each spelled one way. */
const legalForms: Readonly<Record<string, string>> = {
  PROPRIETARY: "PTY",
  INCORPORATED: "INC",
  CORPORATION: "CORP",
  "NO LIABILITY": "NL",
  LIMITED: "LTD",
  COMPANY: "CO",
}
const writtenForms = new RegExp(`\\b(?:${Object.keys(legalForms).join("|")})\\b`, "g")

/** Removed before too: to put a long run of them in order takes long. */
const marks = /\p{M}+/gu

/**
 * The key that all spellings of one company's name share: upper case, accents and punctuation
 * dropped, `&` read as AND, forms of incorporation spelled one way.
 * A name of punctuation only has the empty key, which is linked to nothing.
 */
export function normaliseName(name: string): string {
  return name
    .replace(marks, "")
    .normalize("NFKD")
    .replace(marks, "")
    .toUpperCase()
    .replace(/\bP\s*\/\s*L\b/g, "PTY LTD")
    .replace(/&|\+/g, " AND ")
    .replace(/['’`.]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(writtenForms, (written) => legalForms[written] ?? written)
}
