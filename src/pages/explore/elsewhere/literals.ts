/** Text as a literal of the languages that a view is used from. Each reads back as the same text. */

/** POSIX shells: nothing is special in single quotes but the quote that ends them. */
export const shellLiteral = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A formula of Google Sheets or Excel. */
export const formulaLiteral = (text: string): string => `"${text.replaceAll('"', '""')}"`

/**
 * Power Query's M: a quote is doubled, and `#(` begins an escape.
 * https://learn.microsoft.com/powerquery-m/m-spec-lexical-structure#character-escape-sequences
 */
export const powerQueryLiteral = (text: string): string => `"${powerQueryText(text)}"`

/** The name of a field in M, in the form that keywords such as `type` may have too. */
export const powerQueryName = (text: string): string => `#"${powerQueryText(text)}"`

const powerQueryText = (text: string): string =>
  text
    .replaceAll('"', '""')
    .replaceAll("#(", "#(#)(")
    .replace(/[\r\n\t]/g, escapeInPowerQuery)

const escapeInPowerQuery = (character: string): string =>
  ({ "\r": "#(cr)", "\n": "#(lf)", "\t": "#(tab)" })[character] ?? character

/** Python and R: both have the escapes of JSON, except that R's text cannot hold a NUL. */
export const quotedLiteral = (text: string): string => JSON.stringify(text)
