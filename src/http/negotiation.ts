/**
 * Which representation to send. The `format` parameter wins over `Accept` (RFC 9110, 12.5.1), and
 * JSON is sent where the header allows none of the formats. `Accept-Encoding` (12.5.3) chooses its coding.
 */

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

interface Range {
  name: string
  weight: number
}

function parseRange(text: string): Range {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  return { name, weight: readWeight(parameters) }
}

/**
 * The weight that a client gives to an alternative (RFC 9110, 12.4.2), by its parameters: `q=0.5`. A
 * malformed one counts as none, so the alternative is not wanted rather than wanted most.
 */
function readWeight(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))
  if (weight === undefined) return 1
  const value = weight.replace(/^q\s*=\s*/i, "")
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : 0
}

/** The most exact range that covers the type decides its weight. */
function bestMatch(type: string, ranges: readonly Range[]) {
  const [family] = type.split("/")
  let best = { weight: 0, exactness: -1, place: -1 }
  for (const [place, range] of ranges.entries()) {
    const exactness = ["*/*", `${family}/*`, type].indexOf(range.name)
    if (exactness > best.exactness) best = { weight: range.weight, exactness, place }
  }
  return best
}

export type Coding = "zstd" | "gzip"

/** The names of a coding, the exact one first. `*` stands for the one that every client knows. */
const namesOf: Readonly<Record<Coding, readonly string[]>> = {
  zstd: ["zstd"],
  gzip: ["gzip", "x-gzip", "*"],
}

/** The coding of those available that `Accept-Encoding` prefers; where it has no preference, the first. */
export function preferredCoding(
  acceptEncoding: string | null,
  available: readonly Coding[],
): Coding | null {
  if (!acceptEncoding) return null
  const ranges = acceptEncoding.split(",").map(parseRange)
  const weightOf = (coding: Coding): number => {
    const [range] = namesOf[coding].flatMap((name) => ranges.filter((each) => each.name === name))
    return range?.weight ?? 0
  }
  let preferred: { coding: Coding | null; weight: number } = { coding: null, weight: 0 }
  for (const coding of available) {
    const weight = weightOf(coding)
    if (weight > preferred.weight) preferred = { coding, weight }
  }
  return preferred.coding
}
