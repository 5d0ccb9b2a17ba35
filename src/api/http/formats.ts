/** The formats of responses, each declared once: media types, parameters and documentation follow from here. */

interface Representation {
  mediaType: string
  /** Follows the media type in `Content-Type`. */
  parameters?: string
  /** Which parts of a list it has: pages, the whole list (`all=true`), or both. */
  parts: "pages" | "whole" | "both"
  /** Whether it is a table as text, for spreadsheets: with a header row, `bom` and `formula_guard`. */
  isDelimited?: true
  /** Whether it is a file for programs, binary and compressed by itself. */
  isBinary?: true
}

/** In the order in which the service prefers them. */
export const allFormats = ["json", "csv", "tsv", "ndjson", "parquet", "atom", "geojson"] as const
export type Format = (typeof allFormats)[number]

const tableParameters = "; charset=utf-8; header=present"

export const representations: Readonly<Record<Format, Representation>> = {
  json: { mediaType: "application/json", parts: "pages" },
  csv: { mediaType: "text/csv", parameters: tableParameters, parts: "both", isDelimited: true },
  tsv: {
    mediaType: "text/tab-separated-values",
    parameters: tableParameters,
    parts: "both",
    isDelimited: true,
  },
  ndjson: { mediaType: "application/x-ndjson", parts: "both" },
  parquet: { mediaType: "application/vnd.apache.parquet", parts: "whole", isBinary: true },
  atom: { mediaType: "application/atom+xml", parameters: "; charset=utf-8", parts: "pages" },
  geojson: { mediaType: "application/geo+json", parts: "both" },
}

/** Returns the format of that name in any case, if there is one. */
export const formatNamed = (name: unknown): Format | undefined =>
  allFormats.find((format) => format === String(name).toLowerCase())

/** Those of every list. */
export const formats = allFormats.filter((format) => format !== "atom" && format !== "geojson")
export const delimitedFormats = allFormats.filter((format) => representations[format].isDelimited)

/** Those in which a list has every record (`all=true`). @param offered by the list */
export const exportFormats = (offered: readonly Format[]): readonly Format[] =>
  offered.filter((format) => representations[format].parts !== "pages")

/** The `Content-Type` of a list. */
export const contentType = (format: Format): string =>
  representations[format].mediaType + (representations[format].parameters ?? "")

/** `csv, tsv or ndjson` */
export const alternativesText = (names: readonly string[]): string =>
  names.join(", ").replace(/, (?=[^,]*$)/, " or ")
