/** Whether less than `withinMs` lie between two times, whichever is first: a clock may be set back. */
export const isRecent = (atMs: number, nowMs: number, withinMs: number): boolean =>
  Math.abs(nowMs - atMs) < withinMs
