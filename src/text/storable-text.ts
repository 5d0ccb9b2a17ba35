/** The text as PostgreSQL can have it: with neither NUL nor half of a character. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")
