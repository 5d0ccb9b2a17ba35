/**
 * The token in an `Authorization` header (RFC 9110, section 11.4; RFC 6750, section 2.1), whose scheme is
 * compared without regard to case. All that follows the scheme is the token, so that `Bearer two words`,
 * or two headers joined by a comma, is a wrong token and not an absent one.
 * @returns empty for another scheme or the scheme alone; null for no header or an empty one
 */
export function readBearer(header: string | null): string | null {
  if (!header) return null
  return /^bearer[ \t]+(.*)$/is.exec(header)?.[1] ?? ""
}
