/** The beginning of a text, for a message. */
export const excerpt = (text: string, length = 40): string =>
  text.length > length ? `${text.slice(0, length)}…` : text
