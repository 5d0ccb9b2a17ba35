/** An expression that shows an instant as `2026-01-02T03:04:05Z`. */
export const utc = (instant: string): string =>
  `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
