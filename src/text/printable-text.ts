/** Controls, which a terminal obeys, but for tab and line feed, and what turns the direction of text. */
const obeyed = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * The text for people, as the value of a file or a server may be in it: controls are written as in
 * JSON (`\u001b`), so JSON text keeps its value.
 */
export const printableText = (text: string): string =>
  text.replace(obeyed, (control) =>
    control === "\n" || control === "\t" ? control : escapeOf(control),
  )

/** The same on one line. */
export const printableLine = (text: string): string => text.replace(obeyed, escapeOf)

const escapeOf = (control: string): string =>
  `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The beginning of a text, for a message. */
export const excerpt = (text: string, length = 40): string =>
  text.length > length ? `${text.slice(0, length)}…` : text

/** The first of many, for a message: `a, b and 3 more`. */
export const firstOf = <Item>(
  items: readonly Item[],
  most: number,
  show: (item: Item) => string,
): string =>
  items.slice(0, most).map(show).join(", ") +
  (items.length > most ? ` and ${items.length - most} more` : "")

/** The text as PostgreSQL can have it: with neither NUL nor half of a character. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")
