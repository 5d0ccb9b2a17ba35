/**
 * Folds text for case-insensitive search and order: NFC, then lower case. The final sigma becomes an ordinary
 * one, so that the folded whole contains each folded part. Stored text and query parameters are folded alike,
 * so results do not depend on a locale.
 */
export const fold = (text: string): string =>
  text.normalize("NFC").toLowerCase().replaceAll("ς", "σ")

/** Splits a list in one field: `A; B` is A and B. Drops empty values. */
export const splitValues = (value: string): string[] =>
  value
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
