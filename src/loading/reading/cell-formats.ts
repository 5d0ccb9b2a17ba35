/**
 * The text of a workbook's numbers. Dates are numbers too, by their format alone; so are
 * percentages and codes with leading zeros. Every other number is written in full, whatever its
 * format shows of it.
 */

/** What a number format makes of a number that is more than its digits. */
export type CellFormat = "number" | "date" | "time" | "percent" | { digits: number }

/** Formats by number that no workbook defines, because all have them (ECMA-376, part 1, 18.8.30). */
const builtIn = (id: number): CellFormat => {
  if (id === 9 || id === 10) return "percent"
  if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36) return "date"
  if (id >= 50 && id <= 58) return "date"
  return (id >= 18 && id <= 21) || id === 45 || id === 47 || (id >= 32 && id <= 35)
    ? "time"
    : "number"
}

/** Without texts in quotes, escaped characters, fillers, and colours, locales and conditions. */
const notCode = /"[^"]*"|\\.|[_*].|\[[^[\]]*\]/g
const elapsed = /\[(h+|m+|s+)\]/i

export function cellFormatOf(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return builtIn(id)
  if (elapsed.test(code) || /^\s*general/i.test(code)) return "number"
  const [positive = ""] = code.replace(notCode, "").split(";")
  if (/[yd]/i.test(positive)) return "date"
  if (/[hs]/i.test(positive)) return "time"
  if (/m/i.test(positive)) return "date"
  if (positive.includes("%")) return "percent"
  return /^0{2,}$/.test(positive) ? { digits: positive.length } : "number"
}

/** The last day that a workbook can show, 9999-12-31. */
const maxDays = 2_958_465
const msPerDay = 86_400_000
/** Days between the two days that workbooks may count from. */
const daysTo1904 = 1462

const decimal = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** As XML writes numbers: JavaScript also takes `0x10`, and a blank for 0. */
export const isNumber = (written: string): boolean =>
  decimal.test(written.trim()) && Number.isFinite(Number(written))

/** Undefined for a number that is no date although its format says so, and for what is no number. */
export function numberText(
  written: string,
  format: CellFormat,
  countsFrom1904: boolean,
): string | undefined {
  if (!isNumber(written)) return undefined
  const value = Number(written)
  if (format === "date" || format === "time") return dateText(value, format, countsFrom1904)
  // 15 digits are what a workbook shows at most; those beyond are rounding errors.
  if (format === "percent") return `${Number((value * 100).toPrecision(15))}%`
  if (typeof format === "object" && Number.isInteger(value) && value >= 0)
    return String(value).padStart(format.digits, "0")
  return String(value)
}

function dateText(value: number, format: "date" | "time", from1904: boolean): string | undefined {
  if (format === "time" && value >= 0 && value < 1) return isoTime(value * msPerDay)
  const days = value + (from1904 ? daysTo1904 : 0)
  // The workbook counts a 29 February 1900, which never was.
  const isThatDay = Math.floor(days) === 60 && !from1904
  if (days < 0 || days >= maxDays + 1 || isThatDay) return undefined
  const sinceZero = days >= 1 && days < 60 && !from1904 ? days + 1 : days
  const ms = Math.round(sinceZero * msPerDay) + Date.UTC(1899, 11, 30)
  const day = new Date(ms).toISOString().slice(0, 10)
  const time = isoTime(((ms % msPerDay) + msPerDay) % msPerDay)
  return time === "00:00:00" ? day : `${day}T${time}`
}

const isoTime = (ms: number): string =>
  new Date(Math.round(ms))
    .toISOString()
    .slice(11, 23)
    .replace(/\.000$/, "")
