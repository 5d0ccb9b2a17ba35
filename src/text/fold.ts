/**
 * Folds text for case-insensitive search and order: NFC, then lower case, with the final sigma
 * written as any other sigma so that a folded part is always found in its folded whole.
 * The same function folds what is loaded and what is asked for, so no server's locale takes part.
 */
export const fold = (text: string): string =>
  text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")

/** The parts of a value that holds several: `A; B` is A and B. Empty parts are dropped. */
export const splitValues = (value: string): string[] =>
  value
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
