/**
 * Normalises names of companies. Registers and directories write the same name in many ways (`B.H.P. Group
 * Ltd`, `BHP GROUP LIMITED`); a holder is linked to a company if both names have the same key.
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

/** Removed before normalisation too, which takes long to sort a long run of marks. */
const marks = /\p{M}+/gu

/**
 * Returns the key that all spellings of one company's name share: upper case, without accents and
 * punctuation, with AND for `&` and one spelling of each form of incorporation. A name of punctuation has
 * the empty key, which links to nothing.
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

const form = "(?:PTY|LTD|NL|INC|CORP|CO|PLC|LLC|LP)"
const endingForms = new RegExp(`(?: ${form})+$`)
const anyForm = new RegExp(` ${form}(?: |$)`)

/** The normalised name without the forms of incorporation at its end. */
export const withoutLegalForm = (name: string): string =>
  normaliseName(name).replace(endingForms, "")

/** Whether a form of incorporation is in the name: `GOLD PTY LTD (IN LIQUIDATION)`. */
export const hasLegalForm = (name: string): boolean => anyForm.test(normaliseName(name))
