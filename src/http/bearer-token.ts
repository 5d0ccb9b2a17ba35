/** The content of an `Authorization` header. */
export type Authorization =
  /** No header, or an empty one: nothing was sent. */
  | { kind: "none" }
  /** The Bearer scheme with something after it, which may or may not be a token of this service. */
  | { kind: "bearer"; token: string }
  /** Something else: another scheme, or the name of the scheme alone. */
  | { kind: "other" }

/**
 * Reads the value of an `Authorization` header (RFC 9110, section 11.4; RFC 6750, section 2.1).
 *
 * The scheme's name is compared without regard to case; spaces and tabs around and between the two
 * parts don't matter. All that follows the scheme is the token, so that `Bearer two words`, or two
 * headers joined by a comma, is answered as a wrong token and not as an absent one.
 */
export function readBearer(header: string | null): Authorization {
  const value = trimBlanks(header ?? "")
  if (value === "") return { kind: "none" }

  let schemeEnd = 0
  while (schemeEnd < value.length && !isBlank(value, schemeEnd)) schemeEnd++
  if (value.slice(0, schemeEnd).toLowerCase() !== "bearer") return { kind: "other" }

  const token = trimBlanks(value.slice(schemeEnd))
  return token === "" ? { kind: "other" } : { kind: "bearer", token }
}

// By hand: `trim` also removes what HTTP does not call whitespace, and a pattern for the end of a
// string takes quadratic time on a long run of blanks that a caller may choose.
function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return text.slice(start, end)
}

function isBlank(text: string, index: number): boolean {
  const character = text.charAt(index)
  return character === " " || character === "\t"
}
