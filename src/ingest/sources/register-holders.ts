/** Reads the holders of a tenement from the cells of a register. */
import { writtenText } from "./register-values.ts"

/** Roles that precede names in some registers, and those of holders. */
const roles = /(?:^|[\s,;])(Holder|Owner|Applicant|Agent|Operator|Manager|Contact)s?\s+-\s+/gi
const holderRoles = new Set(["holder", "owner", "applicant"])

/**
 * The holders in one cell, without their shares: `X (70%); Y (30%)` is X and Y; `Holder - X (100%),` with
 * `Agent - Y` on the next line is X. A line break may have become a blank in an export.
 */
export function holdersIn(cell: unknown): string[] {
  if (typeof cell !== "string") return []
  const found = [...cell.matchAll(roles)]
  // `[individual holder - name withheld for privacy]` has no role.
  if (found[0]?.index !== 0) return namesIn(cell)
  return found.flatMap((role, index) => {
    if (!holderRoles.has((role[1] ?? "").toLowerCase())) return []
    return namesIn(cell.slice(role.index + role[0].length, found[index + 1]?.index))
  })
}

/** Names are separated by semicolons or line breaks. */
const namesIn = (text: string): string[] =>
  text
    .split(/[;\r\n]+/)
    .map((name) => withoutComma(withoutShare(writtenText(name) ?? "")))
    .filter((name) => name !== "")

const share = /[\s-]*\(?\s*\d+(?:\.\d+)?\s*%\s*\)?[\s,]*$/
/** The time of the search for a share grows with the square of the length. */
const maxShareLength = 40

/** `X (70%)` and `X - 70.5 %` are X. */
const withoutShare = (name: string): string =>
  (name.slice(0, -maxShareLength) + name.slice(-maxShareLength).replace(share, "")).trim()

/** At the end of a line in a list of names. Each run of commas is tried once. */
const withoutComma = (name: string): string => name.replace(/(?<![\s,])[\s,]+$/, "")

/**
 * All holders as one text, `A; B`, each once, in the register's order; null where there are none.
 * A semicolon inside a name would split it, and becomes a comma.
 */
export function holdersText(names: readonly unknown[]): string | null {
  const clean = names
    .map((name) => writtenText(name)?.replaceAll(/\s*;\s*/g, ", ") ?? null)
    .filter((name) => name !== null)
  return clean.length === 0 ? null : [...new Set(clean)].join("; ")
}
