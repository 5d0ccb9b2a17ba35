/** The target of a request in the log and among an account's recent requests: cut, and without secrets. */
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  splitUrl,
  withoutNeedlessEscapes,
} from "../http/query-string.ts"
import { withoutTokens } from "../log/log.ts"

/** The logged length of a path and of a query, in characters. */
const loggedLength = 500

/** A part of a string keeps the whole in memory, so the parts of a longer URL are copied. */
const keptWhole = 1_000

export interface LoggedTarget {
  path: string
  query: string
}

export const targetText = ({ path, query }: LoggedTarget): string =>
  query === "" ? path : `${path}?${query}`

/** Parameters whose values are secrets: tokens, and one-time links for signing in. */
const unloggedParameters = ["api_key", "link"]

/** Returns the path and the query of a URL, cut and without secrets. */
export function loggedTarget(url: string): LoggedTarget {
  const { path, query } = withoutParameters(url)
  const copied = (text: string) => (url.length > keptWhole ? Buffer.from(text).toString() : text)
  // A client may send a token under a wrong name.
  const scrub = (text: string) => (text.includes("mds_") ? withoutTokens(text) : text)
  return { path: scrub(copied(path)), query: scrub(copied(query)) }
}

/** Matches text without escapes, which can conceal the name of a parameter. */
const unescaped = /^[\w./&=~-]*$/

function withoutParameters(url: string): LoggedTarget {
  const { path, query } = splitUrl(url)
  const isShown = !unloggedParameters.some((name) => query.includes(name))
  if (isShown && unescaped.test(path) && unescaped.test(query)) {
    return { path: path.slice(0, loggedLength), query: query.slice(0, loggedLength) }
  }
  const shown = decodeQuery(query).filter(([name]) => !unloggedParameters.includes(name))
  const cut = (text: string) => withoutNeedlessEscapes(text).slice(0, loggedLength)
  return {
    path: cut(decodeComponent(path) ?? path),
    query: cut(encodeQuery(shown)),
  }
}
