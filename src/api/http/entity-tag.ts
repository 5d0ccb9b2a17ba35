/**
 * Entity tags (RFC 9110, 8.8.3). They are weak, because one response is sent in several content codings.
 */
import { digest } from "../../system/text/digest.ts"

/**
 * Returns the tag of a response, a function of a version of the data, a canonical query and a format.
 * @param version identifies a release, also among releases of the same number in other databases
 * @param query identifies the query and the format
 */
export const entityTag = (version: string, query: string): string =>
  `W/"${digest(`${version} ${query}`)}"`

/**
 * Whether `If-None-Match` lists the tag, by weak comparison. It ignores `*`.
 * @param tag from `entityTag`: no other part of the header can contain its quoted digest
 */
export const namesTag = (ifNoneMatch: string | null, tag: string): boolean =>
  ifNoneMatch?.includes(tag.slice(tag.indexOf('"'))) ?? false
