/**
 * Folds text for case-insensitive search and order: NFC, then lower case, with the final sigma
 * written as any other sigma, so that a folded part is always found in its folded whole.
 * The same function folds stored text and query parameters, so results do not depend on a locale.
 */
export const fold = (text: string): string =>
  text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")

/** The values of a list in one field: `A; B` is A and B. Empty ones are dropped. */
export const splitValues = (value: string): string[] =>
  value
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
