/** The target of a request as operators and the account's owner see it: without secrets, and cut. */
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  splitUrl,
  withoutNeedlessEscapes,
} from "../http/query-string.ts"
import { withoutTokens } from "../log/log.ts"

/** How much of a path and of a query the log has, in characters. */
const loggedLength = 500

/** A URL that is longer is not kept in memory as a whole because of a part that is kept. */
const keptWhole = 1_000

export interface LoggedTarget {
  path: string
  query: string
}

export const targetText = ({ path, query }: LoggedTarget): string =>
  query === "" ? path : `${path}?${query}`

/** Parameters whose values are secrets: tokens, and one-time links for signing in. */
const unloggedParameters = ["api_key", "link"]

/** The path and the query without secrets, both cut. */
export function loggedTarget(url: string): LoggedTarget {
  const { path, query } = withoutParameters(url)
  // A piece of a string keeps the whole string in memory, and the target may be kept for long.
  const own = (text: string) => (url.length > keptWhole ? Buffer.from(text).toString() : text)
  // A token may be sent under a wrong name. The search costs other requests next to nothing.
  const scrub = (text: string) => (text.includes("mds_") ? withoutTokens(text) : text)
  return { path: scrub(own(path)), query: scrub(own(query)) }
}

/** What most targets are: nothing in it is escaped, so it shows whether it has a secret. */
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
