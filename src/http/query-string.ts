/**
 * The query of a request target, decoded as HTML forms and spreadsheets encode it: `+` is a space,
 * percent escapes are UTF-8. A value that cannot be decoded is U+FFFD, which no parameter accepts.
 */
export type Pair = readonly [name: string, value: string]

/** Decodes `a=1&b=2`. Empty pairs, as in `a=1&&b=2`, are skipped. */
export const decodeQuery = (query: string): Pair[] =>
  query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=")
      const name = equals < 0 ? pair : pair.slice(0, equals)
      const value = equals < 0 ? "" : pair.slice(equals + 1)
      return [decode(name) ?? name, decode(value) ?? "\uFFFD"]
    })

/** Encodes pairs so that `decodeQuery` gives them back. */
export const encodeQuery = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&")

/** A path segment or component, decoded; null if its escapes are not valid UTF-8. */
export function decodeComponent(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const decode = (text: string): string | null => decodeComponent(text.replaceAll("+", " "))

/**
 * Escapes of letters, digits and `-._~` undone, also where they are escaped again: they mean nothing
 * (RFC 3986, 6.2.2.2) and can hide a secret from a search.
 */
export function withoutNeedlessEscapes(text: string): string {
  const undo = (outer: string) =>
    outer.replace(/%(?:25)*(2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
  // A few rounds, for escapes whose own digits are escaped. Deeper nesting is deliberate.
  return undo(undo(undo(text)))
}

/** The path and the query of an absolute URL. */
export function splitUrl(url: string): { path: string; query: string } {
  const [target = ""] = url.slice(url.indexOf("/", url.indexOf("//") + 2)).split("#", 1)
  const mark = target.indexOf("?")
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/**
 * One canonical form for all equivalent queries: the parameters that differ from their defaults,
 * sorted by name. Cache keys, entity tags, page sequences and links all come from it.
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

/** As the query of a URL, without the parameters that are named. */
export const queryText = (query: CanonicalQuery, leftOut: readonly string[] = []): string =>
  encodeQuery(query.filter(([name]) => !leftOut.includes(name)))
