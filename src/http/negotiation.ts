/**
 * Which representation to send. The `format` parameter wins over `Accept` (RFC 9110, 12.5.1), and
 * JSON is sent where the header allows none of the formats.
 */
import { readWeight } from "./weight.ts"

export const mediaTypes = {
  json: "application/json",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
} as const

export type Format = keyof typeof mediaTypes

/** The `Content-Type` of lists. */
export const contentTypes: Readonly<Record<Format, string>> = {
  json: mediaTypes.json,
  csv: `${mediaTypes.csv}; charset=utf-8; header=present`,
  tsv: `${mediaTypes.tsv}; charset=utf-8; header=present`,
}

export const formats = Object.keys(mediaTypes) as Format[]

/**
 * The format that an `Accept` header prefers: by weight, then by how exactly a range names it, then
 * by its place in the header.
 */
export function preferredFormat(accept: string | null): Format {
  if (!accept) return "json"
  const ranges = accept.split(",").map(parseRange)
  const ranked = formats
    .map((format) => ({ format, match: bestMatch(mediaTypes[format], ranges) }))
    .filter(({ match }) => match.weight > 0)
    .sort(
      (a, b) =>
        b.match.weight - a.match.weight ||
        b.match.exactness - a.match.exactness ||
        a.match.place - b.match.place,
    )
  return ranked[0]?.format ?? "json"
}

interface MediaRange {
  type: string
  weight: number
}

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  return { type, weight: readWeight(parameters) }
}

/** The most exact range that covers the type decides its weight. */
function bestMatch(type: string, ranges: readonly MediaRange[]) {
  const [family] = type.split("/")
  let best = { weight: 0, exactness: -1, place: -1 }
  for (const [place, range] of ranges.entries()) {
    const exactness = ["*/*", `${family}/*`, type].indexOf(range.type)
    if (exactness > best.exactness) best = { weight: range.weight, exactness, place }
  }
  return best
}
