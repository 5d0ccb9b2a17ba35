/**
 * Chooses a representation. The `format` parameter wins over `Accept` (RFC 9110, 12.5.1), and JSON is the
 * default if the header allows no offered format. `Accept-Encoding` (12.5.3) chooses the coding.
 */

import { allFormats, type Format, formatNamed, representations } from "./formats.ts"

/**
 * The formats that a request accepts, the preferred one first: that of `format`, else those of `Accept` by weight,
 * then by how exactly a range names them, then by their place in the header.
 * @param named the value of `format`, valid or not
 */
export function acceptedFormats(named: unknown, accept: string | null): readonly Format[] {
  const format = formatNamed(named)
  if (format) return [format]
  if (!accept || accept === "*/*") return ["json"]
  const ranges = readRanges(accept)
  return allFormats
    .map((format) => ({ format, match: matchOf(rangesOf(format), ranges) }))
    .filter(({ match }) => match.weight > 0)
    .sort(
      (a, b) =>
        b.match.weight - a.match.weight ||
        a.match.inexactness - b.match.inexactness ||
        a.match.place - b.match.place,
    )
    .map(({ format }) => format)
}

/** The ranges that cover a format, the most exact first. */
function rangesOf(format: Format): string[] {
  const { mediaType } = representations[format]
  return [mediaType, mediaType.replace(/\/.*/, "/*"), "*/*"]
}

export type Coding = "zstd" | "gzip"

/** The names of a coding, the exact one first. `*` means gzip, which every client can decode. */
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
  const ranges = readRanges(acceptEncoding)
  const [preferred] = available
    .map((coding) => ({ coding, weight: matchOf(namesOf[coding], ranges).weight }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return preferred?.coding ?? null
}

interface Range {
  name: string
  weight: number
}

const validWeight = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/

/**
 * Parses the alternatives of a client with their weights (RFC 9110, 12.4.2): `text/csv; q=0.5`. A malformed
 * weight counts as 0, which excludes the alternative.
 */
const readRanges = (header: string): Range[] =>
  header
    .toLowerCase()
    .split(",")
    .map((text) => {
      if (!text.includes(";")) return { name: text.trim(), weight: 1 }
      const [name = ""] = text.split(";")
      const [, weight = "1"] = /;\s*q\s*=([^;]*)/.exec(text) ?? []
      return { name: name.trim(), weight: validWeight.test(weight.trim()) ? Number(weight) : 0 }
    })

/** The most exact range that names the alternative decides its weight. @param names the most exact first */
function matchOf(names: readonly string[], ranges: readonly Range[]) {
  for (let inexactness = 0; inexactness < names.length; inexactness++) {
    const place = ranges.findIndex(({ name }) => name === names[inexactness])
    const weight = ranges[place]?.weight
    if (weight !== undefined) return { weight, inexactness, place }
  }
  return { weight: 0, inexactness: 0, place: 0 }
}
