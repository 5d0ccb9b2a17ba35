/** Longer than any URL of this service. */
const longestPath = 2_000

/**
 * A path of this service with its query, from text of a client: `fallback` if the text leads elsewhere.
 * Parsed as browsers do, which take `/\host`, `/<tab>/host` and `/.//host` for other hosts.
 */
export function localPath(text: string, fallback: string): string {
  const base = "http://local.invalid"
  if (!text.startsWith("/") || text.length > longestPath || !URL.canParse(text, base))
    return fallback
  const { origin, pathname, search } = new URL(text, base)
  return origin === base && !pathname.startsWith("//") ? pathname + search : fallback
}
