/** Reads the holders from the owner column of registers that follow the national view. */
import { holdersInCell, withoutShare } from "./register-values.ts"

/** Roles that may precede a name, and those of holders. */
const roles = /(?:^|[\s,;])(Holder|Owner|Applicant|Agent|Operator|Manager|Contact)s?\s+-\s+/gi
const holderRoles = new Set(["holder", "owner", "applicant"])

/**
 * `Holder - X (100%),` with `Agent - Y` on the next line is X; `X (70%); Y (30%)` is X and Y. A
 * line break may have become a blank in an export.
 */
export function ownersIn(cell: unknown): string[] {
  if (typeof cell !== "string") return []
  const found = [...cell.matchAll(roles)]
  if (found.length === 0) return holdersInCell(cell).map(withoutComma)
  return found.flatMap((role, index) => {
    if (!holderRoles.has((role[1] ?? "").toLowerCase())) return []
    const written = cell.slice(role.index + role[0].length, found[index + 1]?.index)
    return holdersInCell(written).map(withoutComma)
  })
}

/** Removes the comma at the end of a line in a list of names. Each run of commas is tried once. */
const withoutComma = (name: string) => withoutShare(name.replace(/(?<![\s,])[\s,]+$/, ""))
