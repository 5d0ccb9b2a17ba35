/** A time in the name of a file that a load writes: `20260102T030405Z`. */
export const fileTime = (time: Date): string => time.toISOString().replace(/[-:]|\.\d+/g, "")
