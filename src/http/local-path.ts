/** More than any address of ours. */
const maxLength = 2_000

/**
 * A path of this service with its query, from text that a client chose: `fallback` where it would lead
 * elsewhere. It is parsed as browsers do, who take `/\host`, `/<tab>/host` and `/.//host` for other hosts.
 */
export function localPath(text: string, fallback: string): string {
  const base = "http://local.invalid"
  if (!text.startsWith("/") || text.length > maxLength || !URL.canParse(text, base)) return fallback
  const { origin, pathname, search } = new URL(text, base)
  return origin === base && !pathname.startsWith("//") ? pathname + search : fallback
}
