/**
 * Entity tags (RFC 9110, 8.8.3). They are weak, because one response is sent in several content codings.
 */
import { digest } from "../text/digest.ts"

export interface ShownRelease {
  id: number
  /** Unix seconds. */
  publishedAt: number
  /**
   * Part of the tag like its time, because a database that was created again, or restored, has another
   * release 7.
   */
  identity?: string
}

/** The tag of a response, which is a function of release, canonical query and format. */
export const entityTag = (release: ShownRelease, query: string, format: string): string => {
  const { id, publishedAt, identity } = release
  const shown = identity ? `${publishedAt} ${identity}` : publishedAt
  return `W/"${id}-${digest(`${shown} ${format} ${query}`)}"`
}

/** The tag of a response that belongs to no release, but to a version of what it shows. */
export const stateTag = (version: string, query: string, format: string): string =>
  `W/"${digest(`${version} ${format} ${query}`)}"`

/** Whether `If-None-Match` lists the tag, by weak comparison. `*` is for the caller to look for. */
export function namesTag(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  const opaque = tag.replace(/^W\//, "")
  return (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some(
    (candidate) => candidate.replace(/^W\//, "") === opaque,
  )
}
