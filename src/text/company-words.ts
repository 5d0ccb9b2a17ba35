/**
 * What a company's name is beside what many companies' names have: to find which names may be one
 * company's, for a person to decide. Unlike `normaliseName`, nothing here says that they are.
 */
import { normaliseName } from "./company-name.ts"

/** Words at the end of a name that companies of one group differ in. */
const endings = new Set(
  "PTY LTD NL INC CORP CO PLC LLC LP TRUST GROUP HOLDING HOLDINGS AUSTRALIA AUSTRALASIA AUST INTERNATIONAL OPERATIONS".split(
    " ",
  ),
)

/** The name without what is in brackets, often a place: `Quarry (Laverton) Pty Ltd`. */
export const withoutBrackets = (name: string): string => name.replace(/\([^()]*\)/g, " ")

/** Its words without the forms of incorporation and the like at its end, and without THE at its beginning. */
export function distinctiveWords(name: string): string[] {
  const words = normaliseName(name).split(" ").filter(Boolean)
  const end = words.findLastIndex((word) => !endings.has(word)) + 1
  const start = words[0] === "THE" ? 1 : 0
  return words.slice(start, end)
}

/** Whether it ends as companies' names do. */
export const hasEnding = (name: string): boolean =>
  endings.has(normaliseName(name).split(" ").at(-1) ?? "")
