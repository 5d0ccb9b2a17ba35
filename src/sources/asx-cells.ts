/** Reads cells of the ASX's files. */
import { asxCodeFromText } from "../resources/values.ts"
import type { MapOptions, RawRecord } from "./source.ts"

/** A cell's text without surrounding blanks; empty where there is none. */
export const cellText = (raw: RawRecord, column: string): string => String(raw[column] ?? "").trim()

/** The exchange leaves names blank for days: the last name stays. A company without one has its code. */
export const nameOrLast = (
  written: string,
  code: string,
  storedName: MapOptions["storedName"],
): string => written || storedName?.(asxCodeFromText(code)) || code

/** Cells of a company without a market capitalisation. */
const noMarketCap = new Set(["", "-", "--", "N/A", "SUSPENDED"])

/**
 * `1529190000` or `1,529,190,000`, also after `$` or `A$`; null where there is none. With commas
 * elsewhere than between thousands, validation rejects the row.
 */
export function marketCapOf(raw: RawRecord): string | null {
  const written = cellText(raw, "Market Cap")
  if (noMarketCap.has(written.toUpperCase())) return null
  const amount = written.replace(/^A?\$ ?(?=\d)/i, "")
  return /^\d{1,3}(,\d{3})+$/.test(amount) ? amount.replaceAll(",", "") : amount
}
