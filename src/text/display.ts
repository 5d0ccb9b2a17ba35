/** A number with separators of thousands: `16,699`. */
export const formatCount = (count: number): string => count.toLocaleString("en-AU")

/** `1 company`, `16,699 companies` */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`

/** The second of an instant, as the API writes it: `2026-01-02T03:04:05Z`. */
export const secondOf = (instant: Date): string => `${instant.toISOString().slice(0, 19)}Z`
