/** Reads the company of a row in the ASX's files. */
import { asxCodeFromText } from "../../data/resources/values.ts"
import { isResourceSector } from "./gics.ts"
import type { MapOptions, Mapped, RawRecord } from "./source.ts"

/** A cell's text without surrounding blanks; empty where there is none. */
export const cellText = (raw: RawRecord, column: string): string => String(raw[column] ?? "").trim()

/** @param fields as in the record; others than resource companies are left out unless they are stored */
export function companyOf(
  raw: RawRecord,
  columns: Record<"code" | "name", string>,
  fields: RawRecord & { gics_sector: string | null },
  warnings: readonly string[],
  { allSectors, storedName }: MapOptions,
): Mapped {
  const code = cellText(raw, columns.code)
  return {
    record: {
      asx_code: code,
      // The exchange leaves names blank for days: the last name stays. A company without one has its code.
      company_name: cellText(raw, columns.name) || storedName?.(asxCodeFromText(code)) || code,
      market_cap_aud: marketCapOf(raw),
      ...fields,
      is_active: true,
    },
    warnings,
    ...(allSectors || isResourceSector(fields.gics_sector)
      ? {}
      : { onlyIfStored: "other sectors" }),
  }
}

/** Cells of a company without a market capitalisation. */
const noMarketCap = new Set(["", "-", "--", "N/A", "SUSPENDED"])

/**
 * `1529190000` or `1,529,190,000`, also after `$` or `A$`; null where there is none. With commas
 * elsewhere than between thousands, validation rejects the row.
 */
function marketCapOf(raw: RawRecord): string | null {
  const written = cellText(raw, "Market Cap")
  if (noMarketCap.has(written.toUpperCase())) return null
  const amount = written.replace(/^A?\$ ?(?=\d)/i, "")
  return /^\d{1,3}(,\d{3})+$/.test(amount) ? amount.replaceAll(",", "") : amount
}
