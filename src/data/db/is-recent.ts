/** Whether two times differ by less than `withinMs`. Either may be first, because a clock may be set back. */
export const isRecent = (atMs: number, nowMs: number, withinMs: number): boolean =>
  Math.abs(nowMs - atMs) < withinMs
