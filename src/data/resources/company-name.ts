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

/** Words at the end of names. Companies of one group often differ only in these. */
const endings = new Set(
  "PTY LTD NL INC CORP CO PLC LLC LP TRUST GROUP HOLDING HOLDINGS AUSTRALIA AUSTRALASIA AUST INTERNATIONAL OPERATIONS".split(
    " ",
  ),
)

/** Removes brackets with their content, often a place: `Quarry (Laverton) Pty Ltd`. */
export const withoutBrackets = (name: string): string => name.replace(/\([^()]*\)/g, " ")

/** Returns the words of a name without THE at its beginning and the usual words at its end. */
export function distinctiveWords(name: string): string[] {
  const words = normaliseName(name).split(" ").filter(Boolean)
  const end = words.findLastIndex((word) => !endings.has(word)) + 1
  const start = words[0] === "THE" ? 1 : 0
  return words.slice(start, end)
}

/** Whether a name ends like a company's. */
export const hasEnding = (name: string): boolean =>
  endings.has(normaliseName(name).split(" ").at(-1) ?? "")
