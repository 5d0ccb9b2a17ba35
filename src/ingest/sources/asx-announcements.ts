/** The ASX index of company announcements: one row for each company that a document concerns. */
import { reports } from "../../data/resources/reports.ts"
import { asxCodeFromText } from "../../data/resources/values.ts"
import { parsedJson } from "../../system/text/parsed-json.ts"
import type { Source } from "./source.ts"

/**
 * The URL of an announcement's file at the exchange's data provider, without the document key.
 * The index itself has no URLs.
 */
const fileAddress = "https://asx.api.markitdigital.com/asx-research/1.0/file/"

const documentKeyForm = /^[A-Za-z0-9._-]{1,100}$/

export const asxAnnouncements: Source = {
  name: "asx-announcements",
  description: "the ASX index of company announcements, as CSV; adds and changes only",
  resource: reports,
  columns: {
    required: ["ticker", "documentKey", "date", "headline", "announcementTypes"],
    optional: ["fileSize", "isPriceSensitive"],
    others: "report",
  },
  complete: false,
  map: (raw) => {
    const ticker = asxCodeFromText(String(raw.ticker ?? "").trim())
    const documentKey = String(raw.documentKey ?? "").trim()
    if (!documentKeyForm.test(documentKey))
      return { rejected: "documentKey is missing or malformed" }
    const types = announcementTypes(raw.announcementTypes)
    if (types === undefined) return { rejected: "announcementTypes is not a JSON array of strings" }
    return {
      record: {
        hash: announcementHash(ticker, documentKey),
        asx_code: ticker,
        title: typeof raw.headline === "string" ? raw.headline.trim() : raw.headline,
        type: types.join("; "),
        published_at: raw.date,
        url: fileAddress + documentKey,
      },
    }
  },
}

/** A document that concerns several companies is one announcement of each. */
function announcementHash(ticker: string, documentKey: string): string {
  const hasher = new Bun.CryptoHasher("sha256").update(`${ticker}\n${documentKey}`)
  return hasher.digest("hex").slice(0, 32)
}

/**
 * The types in the order given, each once; undefined where they cannot be parsed. A semicolon
 * inside a type becomes a comma, because it separates the types of a report.
 */
function announcementTypes(written: unknown): string[] | undefined {
  if (typeof written === "string" && written.trim() === "") return []
  const list = typeof written === "string" ? parsedJson(written) : written
  if (list === null) return []
  if (!Array.isArray(list) || list.some((type) => typeof type !== "string")) return undefined
  const types = list.map((type: string) => type.replaceAll(";", ",").trim())
  return [...new Set(types)].filter((type) => type !== "")
}
