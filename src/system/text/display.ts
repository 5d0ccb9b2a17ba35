/** A number with separators of thousands: `16,699`. */
export const formatCount = (count: number): string => count.toLocaleString("en-AU")

/** `1 company`, `16,699 companies` */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

export const sentenceCase = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`
