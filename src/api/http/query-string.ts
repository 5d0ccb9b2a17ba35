/**
 * Decodes and encodes queries as HTML forms and spreadsheets do: `+` is a space, percent escapes are UTF-8.
 */
export type Pair = readonly [name: string, value: string]

/** A value that cannot be decoded. It can be encoded again, and no parameter accepts it. */
export const undecodable = "\uFFFD\0"

/** Decodes `a=1&b=2`. Skips empty pairs, as in `a=1&&b=2`. */
export const decodeQuery = (query: string): Pair[] =>
  query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=")
      const name = equals < 0 ? pair : pair.slice(0, equals)
      const value = equals < 0 ? "" : pair.slice(equals + 1)
      return [decode(name) ?? name, decode(value) ?? undecodable]
    })

/** The inverse of `decodeQuery`. */
export const encodeQuery = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")

/** Decodes a path segment or component; null if its escapes are not valid UTF-8. */
export function decodeComponent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const decode = (text: string): string | null => decodeComponent(text.replaceAll("+", " "))

/**
 * Decodes escaped letters, digits and `-._~`, also doubly escaped ones: such escapes mean nothing (RFC 3986,
 * 6.2.2.2) and can conceal a secret from a search.
 */
export function withoutNeedlessEscapes(text: string): string {
  const undo = (outer: string) =>
    outer.replace(/%(?:25)*(2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  // Three rounds decode escapes of escaped digits. Deeper nesting is deliberate.
  return undo(undo(undo(text)))
}

/** The path and the query of an absolute URL. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf("/", url.indexOf("//") + 2)
  const mark = url.indexOf("?", start)
  return mark < 0
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) }
}

/**
 * The canonical form of equivalent queries: the parameters that differ from their defaults, sorted by name.
 * Cache keys, entity tags, page sequences and links use it.
 */
export type CanonicalQuery = readonly Pair[]

export const canonicalQuery = (
  values: Readonly<Record<string, unknown>>,
  schemas: Readonly<Record<string, { default?: unknown }>>,
): CanonicalQuery =>
  Object.keys(values)
    .filter((name) => values[name] !== undefined && values[name] !== schemas[name]?.default)
    .sort()
    .map((name) => [name, String(values[name])] as const)

/** Encodes the query for a URL, without the named parameters. */
export const queryText = (query: CanonicalQuery, leftOut: readonly string[] = []): string =>
  encodeQuery(query.filter(([name]) => !leftOut.includes(name)))
