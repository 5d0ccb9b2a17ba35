/** Compares the references of tenements however they are written: `E 04/1131-I`, `E4/1131` and `E0401131`. */

/** Western Australia's form of fixed width: a type, two digits of the district and five of the number. */
const fixedWidth = /^([A-Z]{1,3})\s*(\d{2})(\d{5})(?=[A-Z]?$)/

/** That form of a lease under a state agreement: `AM 7000904` is `M 904SA`. */
const agreement = /^A(M|L|ML)\s*70(\d{5})$/

/** An endorsement, which a reference can gain and lose. */
const endorsement = /(?<=\d[A-Z]*)[^A-Z\d]+[ISG]$/

/** Numbers have at least this many digits, so that keys sort by number. */
const minDigits = 8

/** The longest key that an index takes. References of registers are shorter. */
const maxLength = 200

/**
 * Returns the key that all written forms of a reference share: its letters in upper case and its numbers,
 * separated by spaces; empty for text that is not a reference. In other states no type has seven digits, so
 * the fixed width needs no state.
 */
export function referenceKey(text: string): string {
  const written = text.toUpperCase().trim().replace(endorsement, "")
  const spaced = written.replace(agreement, "$1 $2 SA").replace(fixedWidth, "$1 $2 $3")
  const parts = spaced.match(/[A-Z]+|\d+/g) ?? []
  const key = parts
    .map((part) => (/\d/.test(part) ? part.replace(/^0+/, "").padStart(minDigits, "0") : part))
    .join(" ")
  return key.length > maxLength ? "" : key
}
