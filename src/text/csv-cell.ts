/** One cell of CSV (RFC 4180), and the formula guard that spreadsheets make necessary. */

/** Spreadsheets run a cell that begins like this as a formula, unless an apostrophe precedes it. */
const formulaStart = /^[=+\-@\t\r]/
const isGuarded = /^'[=+\-@\t\r]/

export const startsFormula = (text: string): boolean => formulaStart.test(text)

export const guardFormula = (text: string): string => (startsFormula(text) ? `'${text}` : text)

/** The text before `guardFormula`. */
export const unguardFormula = (text: string): string =>
  isGuarded.test(text) ? text.slice(1) : text

/** The text as a cell, in quotes where CSV needs them. */
export const quoteCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
