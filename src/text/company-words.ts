/**
 * Reduces names of companies to their distinctive parts, to suggest names that may belong to one company. A
 * person decides whether they do.
 */
import { normaliseName } from "./company-name.ts"

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
