/**
 * Entity tags (RFC 9110, 8.8.3). They are weak, because one response is sent in several content codings.
 */
import { digest } from "../text/digest.ts"

/**
 * The tag of a response, which is a function of a version of the data, a canonical query and a format.
 * @param version of a release, what tells it from a release of its number in another database
 */
export const entityTag = (version: string, query: string, format: string): string =>
  `W/"${digest(`${version} ${format} ${query}`)}"`

/**
 * Whether `If-None-Match` lists the tag, by weak comparison. `*` is for the caller to look for.
 * @param tag one of these: its quotes enclose letters, digits, `-` and `_`, as no text between two others does
 */
export const namesTag = (ifNoneMatch: string | null, tag: string): boolean =>
  ifNoneMatch?.includes(tag.slice(tag.indexOf('"'))) ?? false
