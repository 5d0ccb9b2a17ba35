/** Characters that control a terminal or the direction of text. */
const obeyed = /[\p{Cc}\p{Bidi_Control}]/gu

/**
 * Escapes control characters as JSON does (`\u001b`), for output that may contain values of files or
 * servers. Tabs and line feeds stay. JSON text keeps its value.
 */
export const printableText = (text: string): string =>
  text.replace(obeyed, (control) =>
    control === "\n" || control === "\t" ? control : escapeOf(control),
  )

/** Escapes tabs and line feeds too. */
export const printableLine = (text: string): string => text.replace(obeyed, escapeOf)

const escapeOf = (control: string): string =>
  `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Cuts a text for a message. */
export const excerpt = (text: string, length = 40): string =>
  text.length > length ? `${text.slice(0, length)}…` : text

/** Lists the first items for a message: `a, b and 3 more`. */
export const firstOf = <Item>(
  items: readonly Item[],
  most: number,
  show: (item: Item) => string,
): string =>
  items.slice(0, most).map(show).join(", ") +
  (items.length > most ? ` and ${items.length - most} more` : "")

/**
 * A control character other than a tab or a line break. PostgreSQL's text excludes NUL, and no name or title
 * has another: loads make them blanks, and filters reject them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
export const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Replaces NULs and halves of characters, which PostgreSQL cannot store. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")
